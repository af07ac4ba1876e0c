"""Which baseline, which test, what verdict. Pure."""
