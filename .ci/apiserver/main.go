// A real Kubernetes API server for the tests of the chart. Kubernetes cannot be built as a dependency without the versions
// of its own modules, which go.mod therefore names one by one.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
