"""The declaration of a family, `family.yaml`: its products, how they are run, and what the client does not send."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from tests.clients.matrix.versions import locked_versions

FAMILIES: Final = Path(__file__).resolve().parents[1] / "families"
STANDARD: Final = ("plain", "stream", "tool", "retry", "error")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _OfCalls(_Strict):
    """An exception for these scenarios (default: all) and these calls of each (from 1; default: all)."""

    scenarios: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()

    def covers(self, scenario: str, number: int) -> bool:
        return (not self.scenarios or scenario in self.scenarios) and (not self.calls or number in self.calls)


class NotSent(_OfCalls):
    """Fields that the client does not send. A text that it sends under another name needs the reason, `elsewhere`."""

    fields: tuple[str, ...]
    elsewhere: str = ""
    note: str = ""


class Different(_OfCalls):
    """A field that the client sends with another value than the provider's: `value`, or that of field `same_as`."""

    field: str
    value: Any = None
    same_as: str | None = None
    note: str


class Skipped(_Strict):
    """A scenario whose calls the client does not report, or only some of them."""

    scenario: str
    calls: tuple[int, ...] = ()  # from 1 on; all of them without any
    note: str


class Declaration(_Strict):
    """`sender` is the name in docs/connect.md. The versions of `products` are read from the lock."""

    sender: str
    language: Literal["python", "node", "java"]
    products: tuple[str, ...]
    transport: str
    conventions: tuple[str, ...]  # conventions that may recognize its calls
    scenarios: tuple[str, ...] = STANDARD
    per_change: bool = False  # whether CI runs it for each change; otherwise every night
    always_in_a_conversation: bool = False  # whether the client sends one in every scenario, not only in `turns`
    reports_attempts: bool = False  # whether each attempt of the client's own retry is a call
    not_sent: tuple[NotSent, ...] = ()
    different: tuple[Different, ...] = ()
    not_reported: tuple[Skipped, ...] = ()
    dead_letters: str = ""  # part of the rejection reason of records without a call
    note: str = ""


class Family:
    """A folder with a declaration, a lock and a driver."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name

    @cached_property
    def declared(self) -> Declaration:
        return Declaration.model_validate(yaml.safe_load((self.folder / "family.yaml").read_text()))

    @property
    def versions(self) -> dict[str, str]:
        """Return the versions of the products, in the order of the declaration."""
        locked = locked_versions(self.folder, self.declared.language)
        return {name: locked[name] for name in self.declared.products}


def families() -> Sequence[Family]:
    """Return all families, by name."""
    return [Family(path.parent) for path in sorted(FAMILIES.glob("*/family.yaml"))]
