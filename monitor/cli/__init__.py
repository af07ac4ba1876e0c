"""The driftd command line. Each command group has its own folder or file."""
