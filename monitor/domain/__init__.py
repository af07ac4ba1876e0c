"""The domain model as frozen dataclasses and structs. No I/O, no clock."""
