import re

import duckdb
import pytest

from monitor.store.engine.statements import SQL_FOLDER, statement

ROOM = SQL_FOLDER.parent
FILES = sorted(SQL_FOLDER.glob("*.sql"))
KEYWORDS = re.compile(
    r"\b(select|from|where|join|insert|into|update|set|delete|values|order by|group by|limit|and|or|not|null|is|in|as|"
    r"union|with|over|partition|case|when|then|else|end|exists|between|distinct|desc)\b"
)


SQL = {path.stem: path.read_text() for path in FILES}


def test_a_statement_opens_with_the_question_it_answers() -> None:
    first = {name: sql.splitlines()[0] for name, sql in SQL.items()}
    assert {name: line for name, line in first.items() if not re.fullmatch(r"-- [A-Z].*[.?)]", line)} == {}


def test_a_file_holds_one_statement_with_named_parameters() -> None:
    for name, sql in SQL.items():
        [found] = duckdb.extract_statements(sql)
        assert [each for each in found.named_parameters if not re.fullmatch(r"[a-z_]+", each)] == [], name


def test_keywords_stand_in_capitals() -> None:
    checked = {name: re.sub(r"--.*|[$][a-z_]+|'[^']*'|\"[^\"]*\"", "", sql) for name, sql in SQL.items()}
    assert {name: found for name, sql in checked.items() if (found := KEYWORDS.findall(sql))} == {}


def test_every_statement_is_used_and_every_use_has_its_statement() -> None:
    code = "".join(path.read_text() for path in ROOM.rglob("*.py"))
    called = (
        r'(?:tx\.(?:query|one|table|batches|execute|defer)|statement|run)\(\s*"([a-z_]+)"'
        r'|(?:fetch_page|append_new|append_columns|revise)\(\s*tx,\s*"([a-z_]+)"'
    )
    used = {one or other for one, other in re.findall(called, code)}
    assert used == set(SQL)


def test_an_unknown_statement_is_a_bug_that_rises() -> None:
    with pytest.raises(FileNotFoundError):
        statement("no_such_question")
