"""Downloads of tables as CSV and Parquet. Streamlit's own menu of a chart downloads the picture as PNG."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import streamlit as st

# A spreadsheet runs a cell that starts with one of these as a formula.
# Source: OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def show_downloads(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw a menu that downloads `rows` as `name.csv` or `name.parquet`; nothing without rows."""
    if rows:
        show_downloads_of(name, lambda: rows)


def show_downloads_of(name: str, read: Callable[[], Sequence[Mapping[str, Any]]]) -> None:
    """Draw the same menu for rows that are read when the reader downloads them."""
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        for suffix, mime, encode in FORMATS:
            st.download_button(
                suffix.upper() if suffix == "csv" else "Parquet",
                data=partial(_encoded, encode, read),
                file_name=f"{name}.{suffix}",
                mime=mime,
                key=f"download {name} {suffix}",
                on_click="ignore",
            )


def _encoded(
    encode: Callable[[Sequence[Mapping[str, Any]]], bytes], read: Callable[[], Sequence[Mapping[str, Any]]]
) -> bytes:
    return encode(read())


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as CSV in UTF-8 with a header. Texts that a spreadsheet would run get a leading apostrophe."""
    harmless = [{name: _harmless(value) for name, value in row.items()} for row in rows]
    out = io.BytesIO()
    pa.csv.write_csv(_table(harmless), out)
    return out.getvalue()


def as_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as one Parquet file."""
    out = io.BytesIO()
    pa.parquet.write_table(_table(rows), out)
    return out.getvalue()


FORMATS = (("csv", "text/csv", as_csv), ("parquet", "application/vnd.apache.parquet", as_parquet))


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table with every column of any row. A column of mixed types becomes text."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values])


def _harmless(value: Any) -> Any:
    if isinstance(value, list | dict | tuple):
        value = str(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
