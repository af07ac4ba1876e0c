"""The verdicts of a case over runs, and its pass rate per version."""

from typing import Any

import streamlit as st

from dashboards.case_grid import cells_of, changes_of_version, columns_of, markers_of, version_of
from dashboards.charts.draw import draw_chart
from dashboards.charts.verdict_grid import CHOSEN, palette, verdict_grid
from dashboards.downloads import show_downloads
from dashboards.formatting import percent, plain
from dashboards.markers import tag
from dashboards.panels.legend import show_legend
from dashboards.times import moment
from monitor.api.schema.case_histories import CaseHistoryItem, CaseVersionItem


def show_grid(found: CaseHistoryItem) -> str | None:
    """Draw the grid. Return the run of the clicked cell."""
    st.markdown("**Verdict over runs and repeats**")
    cells = cells_of(found.runs)
    if not cells:
        st.caption("No run has a scored answer to this case.")
        return None
    chart = verdict_grid(cells, columns_of(found.runs), markers_of(found.runs))
    picked: Any = draw_chart(chart, on_select="rerun", key=f"verdicts of {found.trend.case_id}")
    used = {cell.verdict for cell in cells}
    show_legend({name: colour for name, colour in palette().items() if name in used})
    changes = [
        f"**{tag(number)}** {moment(found.runs[order].at)} {plain(before)} → {plain(after)}"
        for number, (order, before, after) in enumerate(changes_of_version(found.runs))
    ]
    st.caption("  \n".join(changes or [f"All runs are of {plain(version_of(found.runs[-1]))}."]))
    st.caption("One column a run, evenly spaced; one row an answer. Select a cell to read the replies of its run.")
    show_downloads(f"verdicts-{found.trend.case_id}", _rows(found))
    points = picked.selection.get(CHOSEN) or []
    return str(points[0]["run"]) if points else None


def show_versions(found: CaseHistoryItem) -> None:
    if not found.versions:
        return
    st.markdown("**Pass rate per version**")
    st.dataframe(
        [_version(row) for row in found.versions],
        hide_index=True,
        column_config={
            "pass rate": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
            "version": st.column_config.TextColumn(width="medium"),
        },
        key="pass rate per version",
    )
    st.caption("The interval takes the answers as independent. It counts samples and repeats.")
    show_downloads(f"versions-{found.trend.case_id}", [row.model_dump(mode="json") for row in found.versions])


def _version(row: CaseVersionItem) -> dict[str, object]:
    return {
        "version": row.version_label or row.version or "unknown version",
        "pass rate": row.pass_rate,
        "95 % interval": f"{percent(row.ci_low)} to {percent(row.ci_high)}",
        "answers passed": f"{row.passes} of {row.answers}",
        "failed runs": f"{row.failed} of {row.nights}",
        "first run": moment(row.first_at),
    }


def _rows(found: CaseHistoryItem) -> list[dict[str, Any]]:
    return [
        {
            "run": run.run_id,
            "ended": run.at,
            "version": version_of(run),
            "same_content": run.same_content,
            **answer.model_dump(mode="json"),
        }
        for run in found.runs
        for answer in run.answers
    ]
