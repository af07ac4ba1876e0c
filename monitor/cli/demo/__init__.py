"""The demo: a week with a real model change, played in a minute on this machine."""
