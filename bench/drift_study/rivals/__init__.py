"""What others do with the same nights: one file each, on the same histories."""
