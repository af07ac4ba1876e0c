"""The pictures of docs/read-a-verdict.md, drawn from computed results."""
