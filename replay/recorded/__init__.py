"""An HTTP server that serves real recorded answers."""
