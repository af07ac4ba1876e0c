"""Parts of the page Production."""
