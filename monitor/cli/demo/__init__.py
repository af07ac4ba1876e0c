"""The demo: a week with a real model change, played in one to two minutes on this machine."""
