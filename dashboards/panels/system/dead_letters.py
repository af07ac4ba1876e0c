"""Dead letters: the reason, the record, a retry with a correction, and removal."""

import json
from typing import Any

import streamlit as st

from dashboards.actions import may, order
from dashboards.client import Client
from dashboards.downloads import show_downloads
from dashboards.formatting import count, plain
from dashboards.panels.empty import show_empty
from dashboards.requests import system
from dashboards.times import moment
from monitor.api.schema import CallerItem, DeadLetterDetail, DeadLetterItem, RetryDeadLetter, StatusItem


def show_dead_letters(client: Client, status: StatusItem, who: CallerItem) -> None:
    """Show the newest dead letters as a table; the address has the chosen one."""
    found = system.dead_letters(client)
    if not found:
        show_empty("No dead letter is stored.", do="driftd could read every record that arrived.")
        return
    st.caption(
        f"{count(status.dead_letters, 'record')} could not be read. Select a row for the record and a retry. "
        "They expire by `retention.dead_letters`."
    )
    rows = [_row(item) for item in found]
    table = st.dataframe(
        rows,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="dead letters",
        column_config={"reason": st.column_config.TextColumn(width="large")},
    )
    show_downloads("dead-letters", rows)
    chosen = table.selection.rows
    if chosen and chosen[0] < len(found):
        st.query_params["letter"] = found[chosen[0]].id
    id_ = st.query_params.get("letter")
    if id_ is not None:
        _show_one(client, id_, who)


def _row(item: DeadLetterItem) -> dict[str, Any]:
    return {
        "received": moment(item.received_at),
        "source": item.source,
        "code": item.code,
        "reason": item.reason,
        "bytes": item.raw_bytes,
        "id": item.id,
    }


def _show_one(client: Client, id_: str, who: CallerItem) -> None:
    st.subheader(id_, anchor=False)
    if not may(who, system.OPERATE, "see or retry the record"):
        return
    letter = system.dead_letter(client, id_)
    st.markdown(f"{plain(letter.source)}, {plain(letter.code)}, {moment(letter.received_at)}: {plain(letter.reason)}")
    if letter.not_retryable is not None:
        st.info(plain(letter.not_retryable), icon=":material/info:")
    if letter.truncated:
        st.caption(f"The first part of {letter.raw_bytes:,} bytes.")
    written = st.text_area("Record", letter.content, height=260, key=f"record {id_}")
    retry, remove, _ = st.columns([1, 1, 3])
    changed = written != letter.content
    if retry.button(
        "Store the corrected record" if changed else "Retry",
        icon=":material/replay:",
        disabled=letter.not_retryable is not None and not changed,
    ):
        _retry(client, letter, written if changed else None)
    if remove.button("Discard", icon=":material/delete:"):
        order(lambda: system.discard(client, id_, None), f"Dead letter {id_} is removed")


def _retry(client: Client, letter: DeadLetterDetail, written: str | None) -> None:
    try:
        record = None if written is None else json.loads(written)
    except ValueError as error:
        st.error(f"The record is not JSON: {plain(str(error))}", icon=":material/error:")
        return
    if record is not None and not isinstance(record, dict):
        st.error("The record must be one JSON object.", icon=":material/error:")
        return
    sent = RetryDeadLetter(record=record)
    order(lambda: system.retry(client, letter.id, sent, None), f"The record of {letter.id} is stored")
