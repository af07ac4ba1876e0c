from pathlib import Path

from monitor.drift.production.input_columns import BY_NAME, COLUMNS, Method

PAGE = Path(__file__).parents[3] / "docs" / "traffic-reports.md"


def test_the_documents_name_every_column_with_its_method_and_meaning() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert rows == [f"| `{c.name}` | {c.method} | {c.meaning} |" for c in COLUMNS]


def test_a_column_is_declared_once_and_numbers_are_those_by_wasserstein() -> None:
    assert len(BY_NAME) == len(COLUMNS)
    assert {c.name for c in COLUMNS if c.is_number} == {c.name for c in COLUMNS if c.method is Method.WASSERSTEIN}
