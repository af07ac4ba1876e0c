"""The parts of the Alerts page."""
