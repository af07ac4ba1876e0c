"""The driftd command, one file a command group."""
