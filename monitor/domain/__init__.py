"""The words of the design as frozen dataclasses: no I/O, no clock."""
