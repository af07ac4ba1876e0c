"""Statistics as pure functions on numbers and arrays."""
