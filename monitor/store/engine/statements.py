"""The named statements. Each is one file of `sql/`."""

from functools import cache
from pathlib import Path

SQL_FOLDER = Path(__file__).parents[1] / "sql"


@cache
def statement(name: str) -> str:
    """Return the text of `sql/<name>.sql`. An unknown name is a bug and raises FileNotFoundError."""
    return (SQL_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def load_all() -> None:
    """Read every statement at start, so that the daemon reads no file later."""
    for path in SQL_FOLDER.glob("*.sql"):
        statement(path.stem)
