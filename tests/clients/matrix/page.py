"""Generate the tables of tested clients in docs/connect.md: `python -m tests.clients.matrix.page --write`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tests.clients.matrix.declaration import Declaration, Family, families
from tests.clients.matrix.truth import FIELDS

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "connect.md"
BEGIN: Final = "<!-- clients: begin (made by tests/clients/matrix/page.py) -->\n"
END: Final = "<!-- clients: end -->\n"


def generated() -> str:
    """Return both tables: the tested clients, and what each client does not send or sends with another value."""
    every = sorted(families(), key=lambda family: family.declared.sender.lower())
    tested = [(one.declared.sender, versions(one), one.declared.transport, read_as(one), cases(one)) for one in every]
    missing = [(one.declared.sender, "; ".join(missing_of(one.declared)) or "none") for one in every]
    return "\n".join(
        [
            *table(("client", "tested versions", "transport", "convention", "tested scenarios"), tested),
            "",
            "What a client does not send, or sends with another value; scenarios in parentheses. No value is guessed:",
            "",
            *table(("client", "differences"), missing),
            "",
        ]
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def versions(family: Family) -> str:
    return ", ".join(f"{name} {version}" for name, version in family.versions.items())


def read_as(family: Family) -> str:
    return ", ".join(family.declared.conventions)


def cases(family: Family) -> str:
    return ", ".join(name.replace("_", " ") for name in family.declared.scenarios)


def missing_of(declared: Declaration) -> list[str]:
    left_out = [
        f"{', '.join(FIELDS[name] for name in one.fields)}{within(declared, one.scenarios)}"
        for one in declared.not_sent
    ]
    changed = [f"{FIELDS[one.field]}: {one.note}{within(declared, one.scenarios)}" for one in declared.different]
    rejected = [f"dead letters: {declared.dead_letters}"] if declared.dead_letters else []
    unreported = [f"not reported: {one.note}" for one in declared.not_reported]
    return [*left_out, *changed, *unreported, *rejected, *([declared.note] if declared.note else [])]


def within(declared: Declaration, scenarios: Sequence[str]) -> str:
    """Return the scenarios in parentheses; nothing when the field is missing in all scenarios."""
    if not scenarios or set(scenarios) == set(declared.scenarios):
        return ""
    return f" ({', '.join(name.replace('_', ' ') for name in scenarios)})"


def replaced(text: str) -> str:
    """Return the page with new tables."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{PAGE.name} has no markers for the tables: {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{generated()}\n{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(replaced(PAGE.read_text()))
    else:
        sys.stdout.write(generated())
