"""The parts of the page Failure modes."""
