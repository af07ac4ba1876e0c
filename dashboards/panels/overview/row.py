"""One deployment in one row. On a narrow screen the row is a card."""

from datetime import datetime
from html import escape

import streamlit as st

from dashboards.formatting import plain
from dashboards.palette import colours
from dashboards.panels.overview import words
from dashboards.panels.overview.sparkline import sparkline
from dashboards.panels.overview.states import LOOKS, line_colour, state_badge
from monitor.api.schema.overview import AreaHealthItem, OverviewItem, OverviewSetItem

MOST_SETS = 3  # in a row; the page of the deployment has all
SIGNS = {"ok": "✓", "problem": "!", "unknown": "?"}
STYLE = """<style>
.dd-row { font-size: .875rem; line-height: 1.4; }
.dd-row p { margin: 0 0 .25rem 0; font-size: .875rem; overflow-wrap: anywhere; }
.dd-grid { display: grid; grid-template-columns: minmax(0, 3.4fr) repeat(3, minmax(0, 1fr)); gap: .25rem 1.25rem; }
.dd-set { display: grid; grid-template-columns: 9rem 8.25rem minmax(0, 1fr); gap: 0 .75rem; align-items: center; }
.dd-set { min-height: 2.25rem; padding-bottom: .375rem; }
.dd-measures { grid-column: 1 / -1; }
.dd-set span, .dd-cell span { display: block; overflow-wrap: anywhere; }
.dd-soft, .dd-label { opacity: .78; font-size: .8125rem; }
.dd-name { font-weight: 600; }
.dd-spark { display: block; }
.dd-cell progress { width: 100%; height: .5rem; }
@media (max-width: 1100px) {
  .dd-grid { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .dd-sets { grid-column: 1 / -1; }
}
@media (max-width: 640px) {
  .dd-grid { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .dd-set { grid-template-columns: minmax(0, 1fr) 8.5rem; gap: .25rem .75rem; padding-bottom: .5rem; }
  .dd-verdict, .dd-cell:last-child { grid-column: 1 / -1; }
  .dd-cell:last-child span { display: inline-block; margin-right: .75rem; }
}
</style>"""


def show_row(item: OverviewItem, now: datetime) -> None:
    """Show the deployment with links to its page and to its most severe alert."""
    with st.container(border=True, key=f"row {item.deployment}"):
        name, content = st.columns([2, 9], gap="small")
        with name, st.container(gap="xxsmall"):
            st.page_link(
                "screens/deployment.py",
                label=f"**{plain(item.deployment)}**",
                icon=":material/chevron_right:",
                icon_position="right",
                query_params={"deployment": item.deployment},
                help="Details of this deployment",
            )
            st.markdown(state_badge(item.state))
            _show_alert_link(item)
        content.html(row_html(item, now))


def _show_alert_link(item: OverviewItem) -> None:
    alert_id = item.alert_id or item.alerts.lead_id
    if alert_id is None:
        return
    st.page_link(
        "screens/alerts.py",
        label=f"Alerts: {words.alerts_text(item.alerts)}",
        icon=":material/notifications_active:",
        query_params={"alert": alert_id},
    )


def row_html(item: OverviewItem, now: datetime) -> str:
    """Return the content of a row. Every text from outside is escaped."""
    change = words.change_text(item.change, now)
    lines = [f"<p>{escape(words.state_text(item, now))}</p>"]
    lines += [f'<p class="dd-soft">{escape(change)}</p>'] if change else []
    sets = "".join(_set(one, now) for one in item.sets[:MOST_SETS])
    more = len(item.sets) - MOST_SETS
    sets += f'<span class="dd-soft">and {more} more</span>' if more > 0 else ""
    cells = [
        _cell("corrections, 7 days", [words.traffic_text(item.traffic), _review(item)]),
        _replays(item, now),
        _cell(
            "health", [_health("judges", item.judges), _health("sets", item.set_health), _health("ingest", item.ingest)]
        ),
    ]
    grid = f'<div class="dd-grid"><div class="dd-sets">{sets}</div>{"".join(cells)}</div>'
    return f'<div class="dd-row">{"".join(lines)}{grid}</div>'


def _set(one: OverviewSetItem, now: datetime) -> str:
    theme = colours()
    kind = "" if one.kind == "unknown" else f'<span class="dd-soft">{one.kind}</span>'
    picture = sparkline(one.nights, one.set_name, line_colour(one.verdict, theme), theme.ink)
    rate = words.rate_text(one)
    verdict = f"{rate} · {words.verdict_text(one)}" if rate != "no data" else words.verdict_text(one)
    return (
        f'<div class="dd-set"><div><span class="dd-name">{escape(one.set_name)}</span>{kind}</div>'
        f"<div>{picture}</div>"
        f'<div class="dd-verdict"><span>{escape(verdict)}</span>'
        f'<span class="dd-soft">{escape(words.age_text(one, now))}</span></div>{_measures(one)}</div>'
    )


def _measures(one: OverviewSetItem) -> str:
    """Return what the pass rate of a set means; nothing if its owner did not say it."""
    return "" if one.measures is None else f'<span class="dd-soft dd-measures">{escape(one.measures)}</span>'


def _cell(label: str, lines: list[str]) -> str:
    shown = "".join(f"<span>{escape(line)}</span>" for line in lines if line)
    return f'<div class="dd-cell"><span class="dd-label">{label}</span>{shown}</div>'


def _review(item: OverviewItem) -> str:
    return f"{item.candidates_proposed:,} for review" if item.candidates_proposed else ""


def _replays(item: OverviewItem, now: datetime) -> str:
    if item.replay is None:
        return _cell("next replay", [words.next_text(item.next_replay, now)])
    text, total = escape(words.replay_text(item.replay, now)), max(item.replay.total, 1)
    bar = f'<progress aria-label="replayed samples" value="{item.replay.done}" max="{total}"></progress>'
    return f'<div class="dd-cell"><span class="dd-label">replay</span>{bar}<span>{text}</span></div>'


def _health(name: str, health: AreaHealthItem) -> str:
    word = "not measured" if health.state == "unknown" else health.state
    return f"{SIGNS[health.state]} {name}: {word}"


def summary(items: list[OverviewItem]) -> str:
    """Return how many deployments have each state, the worst first, as badges."""
    counts = {state: sum(item.state == state for item in items) for state in LOOKS}
    return " ".join(state_badge(state, f"{n} {LOOKS[state].word}") for state, n in counts.items() if n)
