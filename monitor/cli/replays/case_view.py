"""One case of a run in the terminal: its questions, the answers turn by turn, and their scores."""

from itertools import zip_longest

from pydantic import BaseModel

from monitor.api.schema import CaseItem, OutcomeItem, RunItem
from monitor.cli.connection.client import Api
from monitor.cli.terminal.output import print_line, print_lines
from monitor.errors import NotFound
from monitor.printable import printable

SEALED = "sealed; --reveal shows it"
_MANY = 10_000  # samples of one case


class ShownCase(BaseModel):
    """A case with its outcomes in one run, by sample."""

    case: CaseItem
    outcomes: list[OutcomeItem]


def case_of(api: Api, run: RunItem, case_id: str, *, reveal: bool) -> ShownCase:
    """Return the case with its outcomes. NotFound if the run has no such case."""
    wanted = {"case_id": case_id, "reveal": reveal}
    cases = api.list("/api/v1/cases", CaseItem, limit=1, set_name=run.set_name, revision=run.revision, **wanted).items
    if not cases:
        raise NotFound(f"run {run.id!r} has no case {case_id!r}; `driftd sets show {run.set_name}` lists its set")
    return ShownCase(
        case=cases[0], outcomes=api.list("/api/v1/outcomes", OutcomeItem, limit=_MANY, run_id=run.id, **wanted).items
    )


def print_case(shown: ShownCase) -> None:
    case = shown.case
    print_line(f"case {case.id}, {case.category}, {case.severity}")
    if case.turns is None:
        for message in case.input or [{"role": "user", "content": SEALED}]:
            _print_text(message["role"], message["content"])
    for outcome in shown.outcomes:
        _print_outcome(outcome, case.turns or [])
    if not shown.outcomes:
        print_line("no answers: they have expired, or the run has not reached the case")


def _print_outcome(outcome: OutcomeItem, questions: list[str]) -> None:
    print_line("")
    print_line(f"sample {outcome.sample}")
    if outcome.error_class is not None:
        print_line(f"  no answer: {outcome.error_class}")
    elif questions:
        for number, (question, answer) in enumerate(zip_longest(questions, outcome.turns or []), 1):
            _print_text(f"turn {number}", question or "")
            _print_text("answer", SEALED if answer is None else answer)
    else:
        _print_text("answer", SEALED if outcome.text is None else outcome.text)
    for call in outcome.tool_calls or []:
        _print_text(f"tool call {call.name}", call.arguments)
        if call.result is not None:
            _print_text("result", call.result)
    if outcome.error_class is None and (amounts := _amounts(outcome)):
        print_line(f"  {amounts}")
    for score in outcome.scores:
        value = "no verdict" if score.value is None else f"{score.value:g}"
        print_line(f"  {score.metric}: {score.label} ({value}) {score.reason or ''}".rstrip())


def _amounts(outcome: OutcomeItem) -> str:
    """Return latency and cost, as far as the target reported them."""
    latency = None if outcome.latency_ms is None else f"{outcome.latency_ms:,.0f} ms"
    cost = None if outcome.cost_usd is None else f"{outcome.cost_usd:.6f} USD"
    return ", ".join(fact for fact in (latency, cost) if fact is not None)


def _print_text(name: str, content: str) -> None:
    """Print a text with its name, each line indented."""
    lines = [printable(line) for line in content.splitlines()] or [""]
    print_lines("\n".join([f"  {printable(name)}:", *(f"    {line}" for line in lines)]))
