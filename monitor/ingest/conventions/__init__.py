"""One pure decoder per instrumentation convention."""
