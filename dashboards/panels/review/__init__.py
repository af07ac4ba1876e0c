"""The parts of the Review page."""
