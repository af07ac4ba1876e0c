"""The pictures of docs/read-a-verdict.md, drawn from computations of the package."""
