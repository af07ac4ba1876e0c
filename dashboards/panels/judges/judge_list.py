"""All judges, the least trustworthy first, with filters in the address."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain
from dashboards.linked_choice import linked_segments, linked_text
from dashboards.panels.empty import show_empty
from dashboards.requests.judges import Place
from monitor.api.schema import EstimateItem, JudgeItem

STATE = {"drifted": "✗ drifted", "unvalidated": "○ unvalidated", "validated": "✓ validated"}
STATES = ("all", *STATE)
PAGE = "screens/judges.py"
DRAWN = 100


def choose_judges(found: Sequence[JudgeItem]) -> list[JudgeItem]:
    """Draw the filters, and return the judges that match them, the least trustworthy first."""
    state, text = st.columns([3, 2], vertical_alignment="bottom")
    chosen = linked_segments(state, "Standing", STATES, name="standing")
    named = linked_text(text, "Text", name="text", placeholder="deployment, set, scorer, model")
    words = named.casefold()
    kept = [row for row in found if chosen in {"all", row.state} and words in _searched(row)]
    return sorted(kept, key=lambda row: (list(STATE).index(row.state), row.deployment, row.set_name, row.scorer))


def show_judges(found: Sequence[JudgeItem]) -> None:
    """Draw one card a judge, with its link."""
    if not found:
        show_empty("No judge matches these filters.", do="Remove the text, or select another standing.")
        return
    for row in found[:DRAWN]:
        _show_card(row)
    shown = f"The first {DRAWN} of {count(len(found), 'judge')}" if len(found) > DRAWN else count(len(found), "judge")
    st.caption(f"{shown}, those that may not page first.")
    show_downloads("judges", [row.model_dump(mode="json") for row in found])


def place_of(row: JudgeItem) -> Place:
    return Place(deployment=row.deployment, set_name=row.set_name, scorer=row.scorer)


def badge_of(state: str) -> str:
    colour = {"drifted": "red", "unvalidated": "orange", "validated": "green"}[state]
    return f":{colour}-badge[{STATE[state]}]"


def estimate(found: EstimateItem | None, *, digits: int = 2) -> str:
    """Return a value with its 95 % interval."""
    if found is None:
        return "unknown"
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def share(found: EstimateItem | None) -> str:
    if found is None:
        return "unknown"
    return f"{percent(found.value)} ({percent(found.low)} to {percent(found.high)})"


def model_of(row: JudgeItem) -> str:
    rubric = f" · rubric {row.rubric}" if row.rubric else ""
    return f"{row.model or 'unknown model'}{rubric}"


def _show_card(row: JudgeItem) -> None:
    kappa = None if row.error is None else row.error.kappa
    with st.container(border=True, gap="small"):
        st.page_link(
            PAGE,
            label=f"**{plain(row.scorer)}** · {plain(row.set_name)} · {plain(row.deployment)}",
            icon=":material/gavel:",
            query_params=place_of(row).link,
        )
        st.markdown(
            f"{badge_of(row.state)} &nbsp; kappa with people **{estimate(kappa)}** &nbsp; "
            f":gray[{count(row.reviewed, 'review')} · {plain(model_of(row))}]"
        )
        st.caption(plain(row.reason))


def _searched(row: JudgeItem) -> str:
    return f"{row.deployment} {row.set_name} {row.scorer} {row.model or ''}".casefold()
