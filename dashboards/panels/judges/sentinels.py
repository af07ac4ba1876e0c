"""The sentinels of a judge: whether it moved, its rounds, and the acceptance of its new verdicts."""

import streamlit as st

from dashboards.actions import may, order
from dashboards.charts.calibration import rounds_chart
from dashboards.charts.draw import draw_chart
from dashboards.client import Client
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.panels.empty import show_empty
from dashboards.requests import judges as requests
from dashboards.requests.judges import Place
from dashboards.times import moment, zone_name
from monitor.api.schema import CallerItem, SentinelItem, SentinelShiftItem, SentinelsItem
from monitor.api.schema.judge_history import JudgeHistoryItem

VERDICT = {True: "pass", False: "fail"}


def show_sentinels(found: SentinelsItem, rounds: JudgeHistoryItem, place: Place) -> None:
    """Draw whether the judge moved, the rounds and every sentinel."""
    if len(found.items) < found.needed:
        missing = f"{count(len(found.items), 'sentinel')}; {found.needed} are needed to detect a judge that moved."
        show_empty(
            missing,
            do="Sentinels are reviewed outcomes that the judge grades every night. Review outcomes, then add:",
            command=f"driftd judges sentinels add --deployment {place.deployment} --set {place.set_name} "
            f"--scorer {place.scorer} --count 30",
        )
    if found.shift is not None:
        _show_shift(found.shift)
    elif found.items:
        st.caption("No round has been judged yet: the first one follows the next replay of the set.")
    if rounds.rounds:
        draw_chart(rounds_chart(rounds.rounds, zone=zone_name()), key="rounds of sentinels")
        show_downloads(f"sentinel rounds of {place.scorer}", [row.model_dump(mode="json") for row in rounds.rounds])
    if found.items:
        with st.expander(f"{count(len(found.items), 'sentinel')}, newest round {moment(found.last_round)}"):
            st.dataframe([_row(item) for item in found.items], hide_index=True, key="sentinels")
            show_downloads(f"sentinels of {place.scorer}", [row.model_dump(mode="json") for row in found.items])


def show_acceptance(client: Client, place: Place, who: CallerItem, user: str | None) -> None:
    """Draw the form that accepts how a drifted judge judges now. Without the role `operate` it is disabled."""
    allowed = may(who, requests.OPERATE, "accept the new verdicts")
    with st.popover("Accept the new verdicts", icon=":material/task_alt:", disabled=not allowed):
        st.caption("Its newest verdicts on the sentinels become the reference. Look at the rounds first.")
        reason = st.text_input("Reason", key="acceptance of the judge", max_chars=500).strip()
        if st.button("Accept", disabled=not reason, key="accept the judge"):
            done = f"The new verdicts of {place.scorer} are the reference now"
            order(lambda: requests.accept(client, place, reason, user), done)


def _show_shift(shift: SentinelShiftItem) -> None:
    numbers = (
        f"{shift.agrees} of {shift.judged} agree with people in the newest of {count(shift.nights, 'round')}; "
        f"{shift.fell} are stricter and {shift.rose} kinder than the reference"
    )
    if shift.moved:
        since = "" if shift.onset is None else f" since {moment(shift.onset)}"
        st.error(f"**The judge moved**{since}: {shift.kind or 'changed'}. {numbers}.", icon=":material/trending_down:")
        return
    known = "" if shift.log_e is None else f" Evidence {shift.log_e:.1f}, a shift is decided at {shift.threshold:.1f}."
    st.success(f"**No shift was found.** {numbers}.{known}", icon=":material/check_circle:")


def _row(item: SentinelItem) -> dict[str, object]:
    agrees = None if item.newest is None else (item.newest >= 0.5) == item.passes
    return {
        "case": item.case_id,
        "people": VERDICT[item.passes],
        "reference": item.reference,
        "newest": item.newest,
        "agrees": "no verdict" if agrees is None else "✓" if agrees else "✗ no",
        "reason": item.reason or "",
        "added": moment(item.added_at),
        "added by": item.added_by,
    }
