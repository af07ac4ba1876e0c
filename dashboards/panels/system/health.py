"""What driftd reads, its loops, and its database."""

import streamlit as st

from dashboards.client import Client
from dashboards.downloads import show_downloads
from dashboards.formatting import ago, count, plain
from dashboards.panels.command import show_command
from dashboards.panels.empty import show_empty
from dashboards.requests import system
from dashboards.times import moment
from monitor.api.schema import ArrivalsItem, CallerItem, StatusItem

MIB = 2**20


def show_ingest(_client: Client, status: StatusItem, _who: CallerItem) -> None:
    """Show the calls by deployment, the intake, the state of each source and loop, and what is not read."""
    waiting, letters = st.columns(2)
    waiting.metric("Rows that wait for a commit", f"{status.intake_rows:,} of {status.intake_capacity:,}")
    letters.metric("Dead letters", f"{status.dead_letters:,}")
    st.subheader("Calls by deployment", anchor=False)
    if status.arrivals:
        rows = [_arrivals(one, status) for one in status.arrivals]
        st.dataframe(rows, hide_index=True)
        show_downloads("arrivals", rows)
    else:
        show_empty(
            "No call has arrived.",
            do="Send telemetry to the daemon: docs/connect.md lists every integration. A file works too:",
            command="driftd ingest calls.jsonl",
        )
    _show_unread(status)
    st.subheader("Sources and loops", anchor=False)
    st.dataframe([{"loop": name, "state": state} for name, state in sorted(status.loops.items())], hide_index=True)


def _arrivals(one: ArrivalsItem, status: StatusItem) -> dict[str, object]:
    return {
        "deployment": one.deployment,
        "last call": "never" if one.last_at is None else ago(one.last_at, status.now),
        "last minute": one.last_minute,
        "last hour": one.last_hour,
        "last day": one.last_day,
        "clock ahead": one.clock_ahead,
    }


def _show_unread(status: StatusItem) -> None:
    for name, calls in status.unmonitored.items():
        st.warning(
            f"The service {plain(name)} sent {count(calls, 'call')} in the last day and is not monitored. Add it to "
            "`service_names` of a deployment.",
            icon=":material/visibility_off:",
        )
    if status.unread:
        st.markdown(f"**Values that driftd does not read** :gray[since {moment(status.unread_since)}]")
        st.dataframe([{"name": name, "values": number} for name, number in status.unread.items()], hide_index=True)


def show_database(client: Client, status: StatusItem, _who: CallerItem) -> None:
    """Show the size of the database, the space of its disk, its compactions, and acknowledged rows that were lost."""
    size, free, reserve = st.columns(3)
    size.metric("Size on disk", f"{status.store_bytes / MIB:,.1f} MiB")
    if status.disk is not None:
        free.metric("Free on its disk", f"{status.disk.free_bytes / MIB:,.0f} MiB")
        reserve.metric(
            "Reserve",
            f"{status.disk.reserve_bytes / MIB:,.0f} MiB",
            help="With less free space, driftd stores no new records and starts no replay.",
        )
    if status.daemon is not None:
        st.caption(f"`{status.daemon.database}`, process {status.daemon.pid}")
    st.subheader("Compactions and erasures", anchor=False)
    done = system.compactions(client)
    if done:
        rows = [
            {
                "ordered": moment(one.at),
                "kind": one.kind,
                "by": one.who,
                "removed rows": sum(one.removed.values()),
                "bytes gone": moment(one.compacted_at) if one.compacted_at else "not yet",
            }
            for one in done
        ]
        st.dataframe(rows, hide_index=True)
    else:
        st.caption("None yet. Retention compacts the file when it is worth it; `driftd db compact` does it now.")
    st.subheader("Losses", anchor=False)
    lost = system.losses(client)
    if not lost:
        st.caption("Every acknowledged transaction was found at each start.")
    for loss in lost:
        state = "acknowledged by " + plain(loss.acknowledged_by or "") if loss.acknowledged_at else "open"
        st.markdown(f"{moment(loss.found_at)} · {plain(loss.sentence)} · **{state}**")
    if any(loss.acknowledged_at is None for loss in lost):
        show_command("driftd db acknowledge --note REASON")
