"""Frozen beside dynamic: what both kinds of sets say together that neither says alone."""

import streamlit as st

from dashboards.panels.badge import badge, kind_badge
from dashboards.standing import State
from dashboards.words import percent, plain, points
from monitor.api.schema import CorrectionsItem, SetDiagnosisItem, SetVerdictItem

FELL = {
    True: "they became rarer",
    False: "they did not become rarer",
    None: "too few data to say whether they became rarer",
}


def show_diagnosis(diagnosis: SetDiagnosisItem) -> None:
    """The sentence; each newest verdict with its kind; how often users corrected meanwhile."""
    if not diagnosis.frozen and not diagnosis.dynamic:
        return
    st.markdown(f"**Both kinds of sets together.** {plain(diagnosis.sentence)}")
    verdicts = [_verdict("frozen", row) for row in diagnosis.frozen]
    verdicts += [_verdict("dynamic", row) for row in diagnosis.dynamic]
    st.markdown(" &nbsp; ".join(verdicts))
    if diagnosis.corrections is not None:
        st.caption(_corrections(diagnosis.corrections))


def _verdict(kind: str, row: SetVerdictItem) -> str:
    state = State.NO_DATA if row.verdict is None else State(row.verdict)
    return f"{kind_badge(kind)} {plain(row.set_name)} {badge(state)}"


def _corrections(seen: CorrectionsItem) -> str:
    return (
        f"Corrections by users: {percent(seen.after)} of interactions in the last {seen.days} days, "
        f"{percent(seen.before)} in the {seen.days_before} before ({points(seen.ci_low)} to {points(seen.ci_high)} "
        f"points): {FELL[seen.fell]}."
    )
