"""What a verdict rests on beyond two runs: nights, how near each channel is to an alarm, how noisy nights are."""

import math

import streamlit as st

from dashboards.words import count, moment, plain, points
from monitor.api.schema import CauseItem, ChannelEvidenceItem, EvidenceItem, NoiseEvidenceItem

PHASE = {
    "learning": "The baseline is not complete: only a collapse can alert.",
    "silent": "No known change: the nights are searched for an unannounced change.",
    "change": "After a change of version: each night since is compared with the version before.",
    "episode": "An alert is open: these nights decide whether it is over.",
}
LEAST_SHARE = 0.01  # suspects with less are not named
KIND = {"score": "score", "mix": "failure category", "behaviour": "behaviour", "judge": "judge"}


def show_evidence(evidence: EvidenceItem) -> None:
    """One line on the nights, one on the set's revisions, one on the noise; every channel in a closed table."""
    st.markdown(f"**The nights.** {PHASE[evidence.phase]} {_nights(evidence)}")
    lines = [
        line
        for line in (
            _onset(evidence),
            _consistency(evidence),
            _pinned_run(evidence),
            _case_overlap(evidence),
            _noise(evidence),
        )
        if line is not None
    ]
    if lines:
        st.caption("  \n".join(lines))
    if evidence.cause is not None:
        _show_cause(evidence.cause)
    if evidence.channels:
        with st.expander(f"Evidence of {count(len(evidence.channels), 'channel')}"):
            rows = sorted(evidence.channels, key=_nearness, reverse=True)
            st.dataframe([_row(row) for row in rows], hide_index=True, key="evidence of channels")
            st.caption("100 % is an alarm: evidence on a logarithmic scale, p-values likewise.")


def _show_cause(cause: CauseItem) -> None:
    """The cause as far as it is tested; a closed table lists what was tried and what was not."""
    st.markdown(f"**The cause.** {_sentence(cause.statement)} {_sentence(cause.why)}")
    if cause.differences:
        st.caption(f"Differences: {plain('; '.join(cause.differences))}.")
    spent = f", {count(cause.calls, 'call')} and {cause.usd:.2f} USD spent" if cause.calls else ""
    with st.expander(f"{count(len(cause.tried), 'step')} taken, {len(cause.not_tried)} not{spent}"):
        tried = [{"step": row.step, "showed": row.result, "numbers": row.detail} for row in cause.tried]
        untried = [{"step": row.step, "showed": "not tried", "numbers": row.why} for row in cause.not_tried]
        st.dataframe([*tried, *untried], hide_index=True, key="steps of the cause")
        shares = [(row.suspect, row.probability) for row in cause.causes if row.probability is not None]
        ranked = [f"{name or 'nothing (false alarm)'} {share:.0%}" for name, share in shares if share >= LEAST_SHARE]
        if ranked:
            st.caption(f"Had a part in it: {', '.join(ranked)}.")


def _sentence(text: str) -> str:
    return f"{plain(text[:1].upper() + text[1:])}."


def _nights(evidence: EvidenceItem) -> str:
    return f"{count(evidence.nights, 'night')}, {evidence.baseline_nights} of them before what is judged."


def _onset(evidence: EvidenceItem) -> str | None:
    if evidence.onset_at is None or evidence.delta is None or evidence.interval is None:
        return None
    low, high = evidence.interval
    line = (
        f"Since {moment(evidence.onset_at)}, {plain(evidence.channel or 'overall')}: {points(evidence.delta)} points, "
        f"these cases {points(low)} to {points(high)}"
    )
    if evidence.interval_new_cases is None:
        return f"{line}."
    low, high = evidence.interval_new_cases
    return f"{line}, new cases like them {points(low)} to {points(high)}."


PIN_STATUS = {
    "waiting": "no week after it is over yet.",
    "level": "no week after it fell below it by more than chance.",
    "below": "the set has fallen below it.",
    "accepted": "the set has fallen below it, and that finding was accepted.",
    "other_judge": "its scorers were others, so nothing can be compared: pin a newer run.",
}


def _pinned_run(evidence: EvidenceItem) -> str | None:
    """Where the newest nights stand beside the pinned run; nothing to say without one."""
    pinned_run = evidence.pinned_run
    if pinned_run is None:
        return None
    said = f"Compared with the pinned run {pinned_run.run_id}: {PIN_STATUS[pinned_run.status]}"
    if pinned_run.delta is None or pinned_run.interval is None:
        return said
    low, high = pinned_run.interval
    nights = count(pinned_run.recent_nights, "night")
    return f"{said} The newest {nights}: {points(pinned_run.delta)} points ({points(low)} to {points(high)})."


def _consistency(evidence: EvidenceItem) -> str | None:
    """How often two answers to one case differ since a change of version; nothing to say without one."""
    found = evidence.consistency
    if found is None:
        return None
    claim = (
        "No change of consistency was detected"
        if found.direction is None
        else f"The new version is {found.direction} consistent (no regression)"
    )
    low, high = found.interval
    return (
        f"{claim}: two answers to one case differ in {100 * found.after:.1f} % instead of {100 * found.before:.1f} %, "
        f"{points(found.delta)} points ({points(low)} to {points(high)}, {count(found.cases, 'case')}, "
        f"{count(found.nights, 'night')} after the change)."
    )


def _case_overlap(evidence: EvidenceItem) -> str | None:
    """What a new revision of the set means for the trend; nothing to say while there was one alone."""
    overlap = evidence.case_overlap
    if overlap.revisions < 2:
        return None
    if overlap.carried_over == 0:
        return "A new revision without a case of the old one: a new baseline begins, and nothing before it is compared."
    return (
        f"{overlap.revisions} revisions of the set, bridged by {overlap.carried_over} of "
        f"{count(overlap.cases, 'case')}: new cases count from their second night on."
    )


def _noise(evidence: EvidenceItem) -> str | None:
    noise = evidence.noise
    if noise is None:
        return None
    nights = "" if noise.night_variance is None else f"Nights differ by {100 * noise.night_variance**0.5:.1f} points."
    return f"{_flips(noise)}{nights}".strip() or None


def _flips(noise: NoiseEvidenceItem) -> str:
    """What the share of cases asked twice in a night says; nothing where none was."""
    if noise.flip_rate is None:
        return ""
    ends = noise.flip_interval
    sure = "" if ends is None else f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})"
    return (
        f"Within one night, a repeated case gets a different verdict {100 * noise.flip_rate:.1f} % of the time{sure}. "
    )


def _nearness(row: ChannelEvidenceItem) -> float:
    """How far the channel is on its way to an alarm, 1.0 being one, on a logarithmic scale."""
    if row.e is not None and row.e_needed is not None:
        return max(math.log(max(row.e, 1.0)) / math.log(max(row.e_needed, 2.0)), 0.0)
    if row.p is not None and row.p_needed is not None and row.worse:
        return math.log(max(row.p, 1e-300)) / math.log(min(row.p_needed, 0.5))
    return 0.0


def _row(row: ChannelEvidenceItem) -> dict[str, object]:
    return {
        "channel": row.channel,
        "kind": KIND[row.kind],
        "of an alarm": f"{100 * min(_nearness(row), 9.99):.0f} %",
        "found": _value(row.e, row.p),
        "asked": _value(row.e_needed, row.p_needed),
    }


def _value(e: float | None, p: float | None) -> str:
    """Evidence in whole numbers, since it grows by factors; a p-value in two digits."""
    if e is not None:
        return f"e {e:,.0f}" if 10.0 <= e < 1e6 else f"e {e:.2g}"
    return "-" if p is None else f"p {p:.2g}"
