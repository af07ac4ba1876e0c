"""The named statements: each is one file of `sql/`, named for the question it answers."""

from functools import cache
from pathlib import Path

SQL_FOLDER = Path(__file__).parents[1] / "sql"


@cache
def statement(name: str) -> str:
    """The text of `sql/<name>.sql`; an unknown name is a bug and raises FileNotFoundError."""
    return (SQL_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def load_all() -> None:
    """Read every statement now, so that none has to be read while the daemon works."""
    for path in SQL_FOLDER.glob("*.sql"):
        statement(path.stem)
