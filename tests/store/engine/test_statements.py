import re
from pathlib import Path

import duckdb
import pytest

from monitor.store.engine.statements import SQL_FOLDER, statement

ROOM = SQL_FOLDER.parent
FILES = sorted(SQL_FOLDER.glob("*.sql"))
KEYWORDS = re.compile(
    r"\b(select|from|where|join|insert|into|update|set|delete|values|order by|group by|limit|and|or|not|null|is|in|as|"
    r"union|with|over|partition|case|when|then|else|end|exists|between|distinct|desc)\b"
)


def ids(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_a_statement_opens_with_the_question_it_answers(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert re.fullmatch(r"-- [A-Z].*[.?)]", first), first


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_a_file_holds_one_statement(path: Path) -> None:
    assert len(duckdb.extract_statements(path.read_text())) == 1


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_parameters_are_named(path: Path) -> None:
    [found] = duckdb.extract_statements(path.read_text())
    assert all(re.fullmatch(r"[a-z_]+", name) for name in found.named_parameters)


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_keywords_stand_in_capitals(path: Path) -> None:
    sql = re.sub(r"--.*|[$][a-z_]+|'[^']*'|\"[^\"]*\"", "", path.read_text())
    assert KEYWORDS.findall(sql) == []


def test_every_statement_is_used_and_every_use_has_its_statement() -> None:
    code = "".join(path.read_text() for path in ROOM.rglob("*.py"))
    called = (
        r'(?:tx\.(?:query|one|table|batches|execute)|statement)\(\s*"([a-z_]+)"'
        r'|(?:fetch_page|append_new|append_columns)\(\s*tx,\s*"([a-z_]+)"'
    )
    used = {one or other for one, other in re.findall(called, code)}
    assert used == {path.stem for path in FILES}


def test_an_unknown_statement_is_a_bug_that_rises() -> None:
    with pytest.raises(FileNotFoundError):
        statement("no_such_question")
