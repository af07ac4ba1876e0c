"""What `driftd check` tries, one subject a file: each gives lines and none stops the others."""
