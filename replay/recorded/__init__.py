"""An HTTP server that answers with real recorded answers."""
