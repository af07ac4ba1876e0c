"""The results of frozen and dynamic sets together, with the conclusion from both."""

import streamlit as st

from dashboards.formatting import percent, plain, points
from dashboards.panels.badge import badge, kind_badge
from dashboards.set_status import State
from monitor.api.schema import CorrectionsItem, SetDiagnosisItem, SetVerdictItem

FELL = {
    True: "they became rarer",
    False: "they did not become rarer",
    None: "too few data to decide whether they became rarer",
}


def show_diagnosis(diagnosis: SetDiagnosisItem) -> None:
    """Show the conclusion, the newest verdict of each set, and how often users corrected answers.

    A deployment with sets of one kind has no conclusion from both.
    """
    if diagnosis.frozen and diagnosis.dynamic:
        verdicts = [_verdict("frozen", row) for row in diagnosis.frozen]
        verdicts += [_verdict("dynamic", row) for row in diagnosis.dynamic]
        both = f"**Frozen and dynamic sets together.** {plain(diagnosis.sentence)}"
        st.markdown(f"{both} {' &nbsp; '.join(verdicts)}")
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
