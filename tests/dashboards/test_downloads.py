"""Tables as files: complete, typed, and harmless in a spreadsheet."""

import csv
import io
from datetime import UTC, datetime

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as some

from dashboards.downloads import FORMULA, as_csv, as_parquet

TEXT = some.text(some.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(some.lists(TEXT, min_size=1, max_size=8))
def test_no_cell_of_a_csv_is_a_formula_and_no_text_is_lost(texts: list[str]) -> None:
    written = as_csv([{"text": text, "n": 1} for text in texts]).decode()
    cells = [row[0] for row in csv.reader(io.StringIO(written, newline=""))][1:]
    assert not [cell for cell in cells if cell.startswith(FORMULA)]
    assert [cell.removeprefix("'") for cell in cells] == [text.removeprefix("'") for text in texts]


def test_numbers_keep_their_sign_in_a_csv() -> None:
    assert as_csv([{"difference": -0.5}]) == b'"difference"\n-0.5\n'


def test_parquet_has_the_types_and_every_column_of_any_row() -> None:
    at = datetime(2026, 3, 6, tzinfo=UTC)
    rows = [{"at": at, "rate": 0.5}, {"at": at, "cases": ["a"]}]
    assert pq.read_table(io.BytesIO(as_parquet(rows))).to_pylist() == [
        {"at": at, "rate": 0.5, "cases": None},
        {"at": at, "rate": None, "cases": ["a"]},
    ]


def test_a_column_of_mixed_types_is_text() -> None:
    assert pq.read_table(io.BytesIO(as_parquet([{"a": 1}, {"a": "x"}]))).to_pylist() == [{"a": "1"}, {"a": "x"}]
