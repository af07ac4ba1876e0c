"""The checks of `driftd check`, one subject per file. A failed check does not stop the others."""
