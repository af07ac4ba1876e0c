"""The evidence of a verdict beyond two runs: nights, the distance of each channel to an alarm, the noise."""

import streamlit as st

from dashboards.alarm_share import share_of_alarm
from dashboards.formatting import count, plain, points
from dashboards.times import moment
from monitor.api.schema import CauseItem, ChannelEvidenceItem, EvidenceItem, NoiseEvidenceItem

PHASE = {
    "learning": "The baseline is not complete yet: only a collapse can raise an alert.",
    "silent": "No change of version is known: driftd searches the nights for an unannounced change.",
    "change": "The version changed: driftd compares the nights since then with the version before.",
    "episode": "An alert is open: the newest nights decide whether it resolves.",
}
LEAST_SHARE = 0.01  # suspects with a smaller probability are not listed
KIND = {"score": "score", "mix": "failure category", "behaviour": "behaviour", "judge": "judge"}


def show_evidence(evidence: EvidenceItem) -> None:
    """Show the nights, the revisions of the set and the noise in one line each, and every channel in a closed table."""
    st.markdown(f"**Nights.** {PHASE[evidence.phase]} {_nights(evidence)}")
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
            rows = sorted(evidence.channels, key=share_of_alarm, reverse=True)
            st.dataframe([_row(row) for row in rows], hide_index=True, key="evidence of channels")
            st.caption("100 % is an alarm. The scale is logarithmic, for e-values and p-values.")


def _show_cause(cause: CauseItem) -> None:
    """Show the cause with its tested part; a closed table lists the steps that ran and those that did not."""
    st.markdown(f"**Cause.** {_sentence(cause.statement)} {_sentence(cause.why)}")
    if cause.differences:
        st.caption(f"Differences: {plain('; '.join(cause.differences))}.")
    spent = f", {count(cause.calls, 'call')} and {cause.usd:.2f} USD spent" if cause.calls else ""
    with st.expander(f"{count(len(cause.tried), 'step')} run, {len(cause.not_tried)} not run{spent}"):
        tried = [{"step": row.step, "result": row.result, "numbers": row.detail} for row in cause.tried]
        untried = [{"step": row.step, "result": "not run", "numbers": row.why} for row in cause.not_tried]
        st.dataframe([*tried, *untried], hide_index=True, key="steps of the cause")
        shares = [(row.suspect, row.probability) for row in cause.causes if row.probability is not None]
        ranked = [f"{name or 'nothing (false alarm)'} {share:.0%}" for name, share in shares if share >= LEAST_SHARE]
        if ranked:
            st.caption(f"Probability of each cause: {', '.join(ranked)}.")


def _sentence(text: str) -> str:
    return f"{plain(text[:1].upper() + text[1:])}."


def _nights(evidence: EvidenceItem) -> str:
    return f"{count(evidence.nights, 'night')}, {evidence.baseline_nights} of them in the baseline."


def _onset(evidence: EvidenceItem) -> str | None:
    if evidence.onset_at is None or evidence.delta is None or evidence.interval is None:
        return None
    low, high = evidence.interval
    line = (
        f"Since {moment(evidence.onset_at)}, {plain(evidence.channel or 'overall')}: {points(evidence.delta)} points, "
        f"95 % interval {points(low)} to {points(high)} for these cases"
    )
    if evidence.interval_new_cases is None:
        return f"{line}."
    low, high = evidence.interval_new_cases
    return f"{line}, {points(low)} to {points(high)} for new cases of the same kind."


PIN_STATUS = {
    "waiting": "the first week after it is not complete.",
    "level": "no week is below it by more than chance.",
    "below": "the set is below it.",
    "accepted": "the set is below it, and that finding was accepted.",
    "other_judge": "the scorers have changed, so no comparison is possible: pin a newer run.",
}


def _pinned_run(evidence: EvidenceItem) -> str | None:
    """Return the result against the pinned run; None without a pin."""
    pinned_run = evidence.pinned_run
    if pinned_run is None:
        return None
    text = f"Compared with the pinned run {pinned_run.run_id}: {PIN_STATUS[pinned_run.status]}"
    if pinned_run.delta is None or pinned_run.interval is None:
        return text
    low, high = pinned_run.interval
    nights = count(pinned_run.recent_nights, "night")
    return f"{text} The newest {nights}: {points(pinned_run.delta)} points ({points(low)} to {points(high)})."


def _consistency(evidence: EvidenceItem) -> str | None:
    """Return how often two answers to one case differ since a change of version; None without a change."""
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
    """Return the effect of a new revision of the set on the trend; None while there is one revision only."""
    overlap = evidence.case_overlap
    if overlap.revisions < 2:
        return None
    if overlap.carried_over == 0:
        return "The new revision shares no case with the old one: a new baseline starts."
    return (
        f"{overlap.revisions} revisions of the set share {overlap.carried_over} of "
        f"{count(overlap.cases, 'case')}; new cases count from their second night on."
    )


def _noise(evidence: EvidenceItem) -> str | None:
    noise = evidence.noise
    if noise is None:
        return None
    nights = (
        ""
        if noise.night_variance is None
        else f"Nights vary by {100 * noise.night_variance**0.5:.1f} points (standard deviation)."
    )
    return f"{_flips(noise)}{nights}".strip() or None


def _flips(noise: NoiseEvidenceItem) -> str:
    """Return how often repeated answers of one night differ; empty without repeats."""
    if noise.flip_rate is None:
        return ""
    ends = noise.flip_interval
    sure = "" if ends is None else f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})"
    rate = f"{100 * noise.flip_rate:.1f} %{sure}"
    return f"Within one night, a repeated case gets a different verdict in {rate} of the repeats. "


def _row(row: ChannelEvidenceItem) -> dict[str, object]:
    return {
        "channel": row.channel,
        "kind": KIND[row.kind],
        "share of an alarm": f"{100 * min(share_of_alarm(row), 9.99):.0f} %",
        "measured": _value(row.e, row.p),
        "threshold": _value(row.e_needed, row.p_needed),
    }


def _value(e: float | None, p: float | None) -> str:
    """Return an e-value as a whole number, or a p-value with two digits."""
    if e is not None:
        return f"e {e:,.0f}" if 10.0 <= e < 1e6 else f"e {e:.2g}"
    return "-" if p is None else f"p {p:.2g}"
