"""What a set can prove: the smallest detectable effect by number of cases."""

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.set_size import NAMES, set_size_chart
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.panels.empty import show_empty
from monitor.api.schema.findings import NoiseItem


def show_size(found: NoiseItem | None, deployment: str, set_name: str) -> None:
    if found is None or not found.curve:
        show_empty(
            "What this set can detect is not known yet: it needs scored nights of the newest version.",
            do="Replay the set on several nights. Several samples of a case show its noise after one night.",
            command=f"driftd replay run {deployment} {set_name}",
        )
        return
    draw_chart(set_size_chart(found), key="detectable effect by cases")
    own = {each.nights: each.effect for each in found.curve if each.cases == found.cases}
    parts = " and ".join(f"**{100 * own[m]:.1f} points** {NAMES[m]}" for m in sorted(own))
    st.markdown(f"With its {count(found.cases, 'case')}, this set detects a change of {parts}.")
    st.dataframe(
        [
            {"change (points)": 100 * each.effect, "detected": NAMES[each.nights], "cases needed": each.cases}
            for each in found.needed
        ],
        hide_index=True,
        alt="Cases that a change of each size needs",
    )
    st.caption(
        "Of an announced change, with 80 % power at 5 % false alarms, from the noise of "
        f"{count(found.nights, 'night')} with {count(round(found.samples), 'sample')} of a case. An empty cell: no "
        "number of cases is enough, because whole nights vary by more. docs/statistics.md has the method; "
        "`driftd plan` calculates other designs."
    )
    show_downloads(f"detectable effect of {set_name}", [each.model_dump(mode="json") for each in found.curve])
