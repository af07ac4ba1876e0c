"""The daemon's own API over a real file, with two nights of answers to compare: one sealed, one open set."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from monitor.api.auth import Role
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Comparison, Interval
from monitor.domain.run import RunState
from monitor.store.runs import outcomes, runs
from replay.types import Outcome, Reply, Score, ScoredOutcome
from tests.api.house import NOW, SEALER, House, token_of
from tests.api.rows import add_finding, add_run, add_version

READ, REVEAL, OPERATE = token_of(Role.READ), token_of(Role.READ, Role.REVEAL), token_of(Role.OPERATE)
SECRET = "the private answer"
HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'> </div><h1>big</h1> "
    "**bold** [link](javascript:alert(1)) $x$ :red[red]"
)
FLIPS = 25  # more than one page
Answers = Mapping[str, Sequence[str | None]]  # by case id: one text per sample; None is an error


def furnish(house: House) -> None:
    """Store three nights of both sets. On the third, another version fails most cases and fixes one."""
    for version in ("v1", "v2"):
        add_version(house, version)
    for set_name in ("private", "corrections"):
        cases = [_case(number) for number in range(FLIPS)] + [HOSTILE_CASE, MENDED_CASE, STEADY_CASE]
        order = {"name": set_name, "cases": cases, "allow_sealed": True}  # both sets have the same cases
        response = house.post("/api/v1/sets", order, token=OPERATE)
        assert response.status_code == 201, response.text
        add_answers(house, f"{set_name}-0", _before(), set_name, night=0)
        add_answers(house, f"{set_name}-1", _before(), set_name, night=1)
        add_answers(house, f"{set_name}-2", _after(), set_name, night=2, version="v2")
        compared = {"baseline_run": f"{set_name}-1", "candidate_run": f"{set_name}-2", "comparison": _COMPARISON}
        kind = SetKind.FROZEN if set_name == "private" else SetKind.DYNAMIC
        add_finding(house, f"finding-{set_name}", NOW + timedelta(days=2), set_name=set_name, set_kind=kind, **compared)
    # Earlier runs with versions of their own: one answer is very long, and one is missing.
    add_answers(house, "long", {"case-01": ["Yes. " * 6000, "Yes."]}, "corrections", night=-3, version="v-2")
    add_answers(house, "broken", {"case-01": ["", None]}, "corrections", night=-2, version="v-1")
    house.clock.instant = NOW + timedelta(days=2, hours=1)


def _case(number: int) -> dict[str, Any]:
    category = "prime" if number % 2 else "composite"
    return {"id": f"case-{number:02d}", "input": f"Is {number} a prime?", "reference": "no", "category": category}


HOSTILE_CASE = {
    "id": "<b>case</b>",
    "input": HOSTILE,
    "reference": HOSTILE,
    "must_include": [HOSTILE],
    "category": "hostile",
    "severity": "critical",
}
MENDED_CASE = {"id": "mended", "input": "Is 2 a prime?", "reference": "yes", "category": "prime"}
STEADY_CASE = {"id": "steady", "input": "Is 3 a prime?", "reference": "yes", "category": "prime"}


def _before() -> Answers:
    good = {f"case-{number:02d}": [f"No, {number} is not a prime.\n{SECRET}"] for number in range(FLIPS)}
    return good | {str(HOSTILE_CASE["id"]): ["No."], "mended": ["No, 2 is even."], "steady": ["Yes."]}


def _after() -> Answers:
    bad = {f"case-{number:02d}": [f"Yes, {number} is surely a prime.\n{SECRET}"] for number in range(FLIPS)}
    return bad | {str(HOSTILE_CASE["id"]): [HOSTILE], "mended": ["Yes, 2 is."], "steady": ["Yes."]}


RIGHT: Answers = {**_before()} | {"mended": ["Yes, 2 is."]}


def add_answers(house: House, run_id: str, answers: Answers, set_name: str, *, night: int, version: str = "v1") -> None:
    """Store a complete run with these answers."""
    start = NOW + timedelta(days=night)
    samples = max(len(texts) for texts in answers.values())
    run = add_run(house, run_id, set_name, planned_at=start, version=version, samples=samples)
    rows = [
        _scored(case_id, sample, text, run.planned_at)
        for case_id, texts in answers.items()
        for sample, text in enumerate(texts)
    ]
    sealed = run.set_kind is SetKind.FROZEN
    with house.store.write() as tx:
        outcomes.append(tx, run_id, rows, (lambda text, at: SEALER.seal(text.encode(), at)) if sealed else None)
        runs.set_running(tx, run_id, start)
        runs.finish(tx, run_id, RunState.COMPLETE, version, start + timedelta(minutes=5), {"run_id": run_id}, None)


def _scored(case_id: str, sample: int, text: str | None, at: datetime) -> ScoredOutcome:
    error = "timeout" if text is None else None
    reply = Reply(text=text, latency_ms=20.0, model="gpt-4-0314") if text is not None else None
    outcome = Outcome(
        case_id=case_id, sample=sample, started_at=at, attempts=1, trace_id="0" * 32, reply=reply, error_class=error
    )
    return ScoredOutcome(
        outcome=outcome, scores=() if text is None else (_judged(text, text in RIGHT.get(case_id, ())),)
    )


def _judged(text: str, passed: bool) -> Score:
    return Score(
        scorer="contains",
        scorer_version="1",
        value=1.0 if passed else 0.0,
        label="pass" if passed else "fail",
        failure_category="none" if passed else "wrong_answer",
        reason=f"looked for it in: {text}",
    )


_COMPARISON = Comparison(
    metric="pass_rate",
    baseline=0.964,
    candidate=0.071,
    effect=-0.893,
    interval=Interval(low=-0.97, high=-0.7),
    p_value=1e-6,
    flipped_to_fail=26,
    flipped_to_pass=1,
    n=28,
    mde=0.1,
    mde_discordance=0.05,
    mde_source="a/a",
    categories=(),
    failure_shifts=(),
    worst_cases=(),
    flipped_case_ids=(),
)
