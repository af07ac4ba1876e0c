"""Evidently's report of derived columns: its page, and the distance of each column. Only the worker imports this
module.

Every method is named, one column at a time. No preset and no default of Evidently decides anything here.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.traffic_report import PAGE_POLICY
from monitor.drift.production.input_columns import COLUMNS, Method, TrafficColumn

FEWEST = 50  # values of a column in each window; fewer do not describe a distribution
# The page shows `drift detected` for a distance above this. It is Evidently's own value for both methods, and only a
# reading aid: driftd does not decide by it.
MARK = 0.1
_HEAD = '<meta charset="UTF-8">'


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The page, and for each column its distance (None: too few values) with the number of values in each window."""

    html: str
    distances: Mapping[str, float | None]
    counts: Mapping[str, tuple[int, int]]


def measure(reference: Mapping[str, Sequence[Any]], now: Mapping[str, Sequence[Any]]) -> Measured:
    """Compare every column that has enough values in both windows."""
    counts = {column.name: (_known(reference[column.name]), _known(now[column.name])) for column in COLUMNS}
    drawn = [column for column in COLUMNS if min(counts[column.name]) >= FEWEST]
    distances: dict[str, float | None] = dict.fromkeys(counts)
    if not drawn:
        return Measured(html="", distances=distances, counts=counts)
    html, values = _run(drawn, reference, now)
    distances |= {column.name: value for column, value in zip(drawn, values, strict=True)}
    return Measured(html=html, distances=distances, counts=counts)


def _run(
    columns: Sequence[TrafficColumn], reference: Mapping[str, Sequence[Any]], now: Mapping[str, Sequence[Any]]
) -> tuple[str, list[float | None]]:
    from evidently import DataDefinition, Dataset, Report  # slow to import: some seconds
    from evidently.metrics import ValueDrift

    definition = DataDefinition(
        numerical_columns=[column.name for column in columns if column.is_number],
        categorical_columns=[column.name for column in columns if not column.is_number],
    )
    tables = [Dataset.from_pandas(_frame(columns, rows), data_definition=definition) for rows in (now, reference)]
    asked = [ValueDrift(column=column.name, method=column.method.value, threshold=MARK) for column in columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Evidently divides zero by zero
        result = Report(asked).run(*tables)
        html = result.get_html_str(as_iframe=False)
        found = result.dict()["metrics"]
    if _HEAD not in html:
        raise ValueError("Evidently's page has an unexpected head: the content security policy cannot be inserted")
    return html.replace(_HEAD, f'{_HEAD}<meta http-equiv="Content-Security-Policy" content="{PAGE_POLICY}">', 1), [
        _finite(_value_of(found, column)) for column in columns
    ]


def _value_of(found: Sequence[Mapping[str, Any]], column: TrafficColumn) -> float:
    """Return the distance of a column by the requested method. Another method in its place is an error."""
    for metric in found:
        config = metric["config"]
        if config["column"] == column.name and config["method"] == Method(column.method).value:
            return float(metric["value"])
    raise KeyError(f"Evidently's result has no {column.method} distance of {column.name}")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _frame(columns: Sequence[TrafficColumn], rows: Mapping[str, Sequence[Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            column.name: pd.Series(rows[column.name], dtype="float64" if column.is_number else "object")
            for column in columns
        }
    )


def _known(values: Sequence[Any]) -> int:
    return sum(value is not None for value in values)
