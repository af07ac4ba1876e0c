"""The parts of the Judges page."""
