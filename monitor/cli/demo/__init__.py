"""The demo: a week of a real model change, lived through in a minute on this machine alone."""
