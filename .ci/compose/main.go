// Load a Compose file with the loader of `docker compose`, and print it as JSON: composeconfig FILE
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func load(files []string) ([]byte, error) {
	// The loader validates the file against the schema of the Compose specification, and every reference in it.
	options, err := cli.NewProjectOptions(files, cli.WithInterpolation(true), cli.WithConsistency(true))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}

func main() {
	text, err := load(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}
