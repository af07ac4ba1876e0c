"""The bias report of a judge: each bias with its interval, or what is missing."""

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, plain
from monitor.api.schema import BiasItem, BiasReportItem

MEANING = {
    "position": "excess of wins of the answer that is shown first; 0 means no bias",
    "length_within_case": "change of the score for a reply of twice the length, within a case; 0 means no bias",
    "length_reviewed": "the same for replies with equal verdicts of people; 0 means no bias",
    "self_preference": "excess of the score for replies of the model family of the judge; 0 means no bias",
    "entropy": "use of the scale; 1 uses all levels equally",
    "at_ends": "share of scores at the ends of the scale",
}
NAMES = {
    "position": "position",
    "length_within_case": "length, same case",
    "length_reviewed": "length, reviewed",
    "self_preference": "self-preference",
    "entropy": "scale, entropy",
    "at_ends": "scale, ends",
}
SIGNED = ("position", "length_within_case", "length_reviewed", "self_preference")


def show_bias(found: BiasReportItem) -> None:
    """Draw a table of the biases, and name those whose interval excludes zero."""
    items: dict[str, BiasItem] = {name: getattr(found, name) for name in NAMES}
    certain = [NAMES[name] for name in SIGNED if _excludes_zero(items[name])]
    unknown = sum(item.value is None for item in items.values())
    if certain:
        st.warning(f"**Bias found:** {', '.join(certain)}. The interval excludes zero.", icon=":material/balance:")
    elif unknown < len(SIGNED):
        st.caption("No measured bias has an interval that excludes zero.")
    st.dataframe(
        [_row(name, item) for name, item in items.items()],
        hide_index=True,
        key="biases",
        column_config={"what it measures": st.column_config.TextColumn(width="large")},
    )
    family = f" Its family of models is {plain(found.family)}." if found.family else ""
    st.caption(f"{count(found.pairs, 'pair')} judged in both orders, {found.consistent} with one winner.{family}")
    show_downloads(f"bias of {found.scorer}", [_row(name, item) for name, item in items.items()])


def _excludes_zero(item: BiasItem) -> bool:
    return item.low is not None and item.high is not None and (item.low > 0 or item.high < 0)


def _row(name: str, item: BiasItem) -> dict[str, object]:
    known = item.value is not None and item.low is not None and item.high is not None
    return {
        "bias": NAMES[name],
        "value": "unknown" if item.value is None else f"{item.value:+.3f}" if name in SIGNED else f"{item.value:.2f}",
        "95 % interval": f"{item.low:.3f} to {item.high:.3f}" if known else item.unknown or "",
        "n": item.n,
        "what it measures": MEANING[name],
    }
