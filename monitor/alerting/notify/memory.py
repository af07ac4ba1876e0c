"""What a receiver remembers of a group of alerts between two notifications."""

from typing import Protocol


class GroupMemory(Protocol):
    """One text for each group of alerts, for example the address of its message in the service.

    In the daemon it survives a restart. A kill between the delivery and `put` loses the text of that delivery.
    """

    def get(self, group_id: str) -> str | None: ...

    def put(self, group_id: str, value: str) -> None: ...


class ProcessMemory:
    """A memory that ends with the process, for `driftd check`."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def get(self, group_id: str) -> str | None:
        return self._values.get(group_id)

    def put(self, group_id: str, value: str) -> None:
        self._values[group_id] = value
