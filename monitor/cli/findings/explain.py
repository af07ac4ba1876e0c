"""The reasoning behind a finding, step by step, as a person reads it."""

from collections.abc import Iterator

from pydantic import BaseModel

from monitor.alerting.decided_text import decided_rows, moved_rows
from monitor.api.schema import (
    CauseItem,
    ChannelEvidenceItem,
    ConsistencyEvidenceItem,
    EvidenceItem,
    FindingItem,
    NoiseEvidenceItem,
    PinnedRunEvidenceItem,
)
from monitor.cli.findings.explain_series import series_steps
from monitor.cli.terminal.output import percent, points, print_table, say
from monitor.domain.evidence import ConsistencyEvidence
from monitor.drift.judge.consistency import describe_consistency

_TESTS = {
    "learning": "The nights are too few to judge by: two runs were compared (exact McNemar, Holm over categories).",
    "silent": "No change was known: evidence was gathered night after night, each case against its own history.",
    "change": "A change is known: the nights after it were compared with those before it, at planned looks.",
    "episode": "An alert is open: the question is whether what opened it is still there.",
}


class Step(BaseModel):
    """One step of the reasoning; `channels` stand only under the step that weighs them."""

    step: str
    says: str
    channels: list[ChannelEvidenceItem] = []


class Explanation(BaseModel):
    finding: FindingItem
    steps: list[Step]


def explain_finding(finding: FindingItem) -> Explanation:
    return Explanation(finding=finding, steps=list(_steps(finding)))


def print_explanation(explanation: Explanation) -> None:
    for number, step in enumerate(explanation.steps, start=1):
        say(f"{number}. {step.step}: {step.says}")
        if step.channels:
            columns = ("kind", "channel", "e", "needed", "p", "at most", "direction")
            print_table(columns, [_row(channel) for channel in step.channels], "")


def _steps(finding: FindingItem) -> Iterator[Step]:
    if finding.production is not None:
        yield from (Step(step=step, says=says) for step, says in series_steps(finding, finding.production))
    else:
        yield from _replayed(finding)
    yield Step(step="verdict", says=f"{finding.verdict} ({finding.severity}): {finding.reason}.")


def _replayed(finding: FindingItem) -> Iterator[Step]:
    yield Step(
        step="judged", says=f"run {finding.candidate_run} of set {finding.set_name} against {finding.deployment}."
    )
    if finding.evidence is None:
        yield Step(
            step="nights", says="this run is no night of its set: it failed, or too few of its cases have a verdict."
        )
    else:
        yield from _evidence(finding, finding.evidence)


def _evidence(finding: FindingItem, evidence: EvidenceItem) -> Iterator[Step]:
    yield Step(step="baseline", says=_baseline(finding, evidence))
    yield Step(step="nights", says=f"{evidence.nights} were looked at. {_case_overlap(evidence)}")
    yield Step(step="test", says=_TESTS[evidence.phase])
    if evidence.channels:
        yield Step(step="channels", says="what each says, and what it would have to say:", channels=evidence.channels)
    if evidence.kind is not None:
        yield Step(step="alarm", says=_alarm(evidence))
        yield Step(step="onset", says=f"run {evidence.onset_run}, {evidence.onset_at:%Y-%m-%d %H:%M} UTC.")
    if evidence.delta is not None:
        yield Step(step="change", says=_change(evidence.delta, evidence))
    if evidence.cause is not None:
        yield from _cause(evidence.cause)
    if evidence.consistency is not None:
        yield Step(step="consistency", says=_consistency(evidence.consistency))
    if evidence.pinned_run is not None:
        yield Step(step="pinned run", says=_pinned_run(evidence.pinned_run))
    yield Step(step="noise", says=_noise(evidence))
    if finding.decided is not None:
        yield from (Step(step=name, says=f"{says}.") for name, says in decided_rows(finding.decided.model_dump(), ""))
        moved = "; ".join(" ".join(row.split()) for row in moved_rows(finding.decided.model_dump(), None))
        yield Step(step="moved", says=f"{moved or 'no category, and no failure category, by itself'}.")
    yield Step(step="not tested", says="; ".join(evidence.not_tested) + "." if evidence.not_tested else "nothing.")


def _baseline(finding: FindingItem, evidence: EvidenceItem) -> str:
    pair = "" if finding.baseline_run is None else f" Cases are shown beside run {finding.baseline_run}."
    if not evidence.baseline_nights:
        return f"there is no earlier night.{pair}"
    reach = f"{evidence.baseline_first_run} to {evidence.baseline_last_run}"
    why = {
        "version": "what was served before the change",
        "silent": "this version before the onset",
        None: "the nights before, since the newest baseline began",
    }[evidence.trigger]
    return f"{evidence.baseline_nights} nights, {reach}: {why}.{pair}"


def _case_overlap(evidence: EvidenceItem) -> str:
    overlap = evidence.case_overlap
    if not overlap.carried_over:
        return f"None of the {overlap.cases} cases was asked before: this is a new baseline."
    return (
        f"{overlap.carried_over} of {overlap.cases} cases were asked before; revisions of the set: {overlap.revisions}."
    )


def _cause(cause: CauseItem) -> Iterator[Step]:
    """What differences, each step that was taken, each that was not, and what follows."""
    differences = "; ".join(cause.differences) or "nothing that is recorded"
    yield Step(step="what differs", says=f"from the nights before: {differences}.")
    for tried in cause.tried:
        cost = f" ({tried.calls} calls, {tried.usd:.2f} USD)" if tried.calls else ""
        yield Step(step=tried.step, says=f"{tried.result}. {tried.detail}{cost}.")
    for untried in cause.not_tried:
        yield Step(step=untried.step, says=f"not tried: {untried.why}.")
    shares = [(row.suspect or "a false alarm", row.probability) for row in cause.causes if row.probability is not None]
    ranked = ", ".join(f"{name} {share:.0%}" for name, share in shares if share >= 0.01)
    parts = f" Each had a part in it with: {ranked}." if ranked else ""
    yield Step(step="cause", says=f"{cause.statement}. {cause.why}.{parts}")


def _alarm(evidence: EvidenceItem) -> str:
    if evidence.e is not None:
        return f"{evidence.kind}, {evidence.channel}: e = {evidence.e:.4g}, {_number(evidence.e_needed)} needed."
    return (
        f"{evidence.kind}, {evidence.channel}: p = {_number(evidence.p)}, at most {_number(evidence.p_needed)} needed."
    )


def _change(delta: float, evidence: EvidenceItem) -> str:
    these, others = _range(evidence.interval), _range(evidence.interval_new_cases)
    return f"{points(delta)} points; 95 % interval for these cases {these}, for new cases like them {others}."


_PAIRS = {"one_night": "two answers of one night", "nights": "answers of two nights"}


def _consistency(found: ConsistencyEvidenceItem) -> str:
    """What a look after a known change says of it, told or not."""
    said = describe_consistency(ConsistencyEvidence(**found.model_dump()))
    nights = "1 night" if found.nights == 1 else f"{found.nights} nights"
    return (
        f"{said}; {_PAIRS[found.pairs]} on {found.cases} cases, {nights} after the change; p = {_number(found.p)}, "
        f"at most {_number(found.p_needed)} needed. This is no regression."
    )


def _noise(evidence: EvidenceItem) -> str:
    noise = evidence.noise
    if noise is None or noise.within_variance is None:
        return "not known yet: no case was seen twice under one version."
    nights = "not known yet" if noise.night_variance is None else f"{100 * noise.night_variance**0.5:.2f} points"
    spread = _range(_roots(noise.night_interval))
    within = f"{_within(noise)}, whole nights differ by {nights} (95 % {spread})"
    return f"{within}."


_STANDING = {
    "waiting": "The first week after it is not over, so nothing was asked yet",
    "level": "No week after it fell below it by more than chance",
    "below": "The set has slid below it",
    "accepted": "The set has slid below it, which was told and accepted",
    "other_judge": "The scorers are no longer those of the pinned nights: nothing can be compared",
}


def _pinned_run(pinned_run: PinnedRunEvidenceItem) -> str:
    pinned = f"{pinned_run.nights} nights up to run {pinned_run.run_id} are pinned. {_STANDING[pinned_run.status]}"
    if pinned_run.delta is None:
        return f"{pinned}."
    weeks = f"{pinned_run.looks} {'week was' if pinned_run.looks == 1 else 'weeks were'} looked at"
    p = (
        ""
        if pinned_run.p is None
        else f"; the newest: {pinned_run.channel}, p = {pinned_run.p:.3g}, at most {pinned_run.p_needed:.3g} needed"
    )
    these, others = _range(pinned_run.interval), _range(pinned_run.interval_new_cases)
    return (
        f"{pinned} ({weeks}{p}). The newest {pinned_run.recent_nights} nights stand {points(pinned_run.delta)} points "
        f"beside it; 95 % interval for these cases {these}, for new cases like them {others}."
    )


def _within(noise: NoiseEvidenceItem) -> str:
    """Of one night where cases were asked twice in it, else of the nights of a case, which hold more than sampling."""
    variance = f"within a case the variance is {noise.within_variance:.4f}"
    if not noise.repeats:
        return f"{variance} from night to night (no case was asked twice in one)"
    if noise.flip_rate is None or noise.flip_interval is None:
        return f"{variance} in one night ({noise.repeats} cases of a night asked more than once)"
    low, high = noise.flip_interval
    return (
        f"{variance} in one night: {noise.repeats} cases of a night were asked more than once, and two answers "
        f"are judged differently {percent(noise.flip_rate)} of the time (95 % {percent(low)} to {percent(high)})"
    )


def _roots(variances: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if variances is None else (variances[0] ** 0.5, variances[1] ** 0.5)


def _range(ends: tuple[float, float] | None) -> str:
    return "not known" if ends is None else f"{points(ends[0])} to {points(ends[1])}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def _row(channel: ChannelEvidenceItem) -> tuple[object, ...]:
    direction = None if channel.worse is None else "worse" if channel.worse else "better"
    numbers = (channel.e, channel.e_needed, channel.p, channel.p_needed)
    return (channel.kind, channel.channel, *(None if n is None else f"{n:.3g}" for n in numbers), direction)
