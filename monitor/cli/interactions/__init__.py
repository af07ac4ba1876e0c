"""The commands `driftd interactions`."""
