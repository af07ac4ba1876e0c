"""The parts of `bench/dashboard.py`: what the pages ask, the time of the answers, and the time of the pages."""
