"""The texts of one case: the question, the expectation, a reply, its scores and its tool calls."""

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from dashboards.formatting import count, plain
from dashboards.panels.text_box import show_text
from monitor.api.schema import CaseItem, OutcomeItem, ScoreItem
from monitor.api.schema.runs import ToolCallItem


def show_question(where: DeltaGenerator, case: CaseItem) -> None:
    where.markdown("**Question**")
    messages = case.input or []
    for message in messages:
        if len(messages) > 1:
            where.caption(plain(message.get("role", "")))
        show_text(where, message.get("content", ""))


def show_expectation(where: DeltaGenerator, case: CaseItem) -> None:
    where.markdown("**Expected**")
    lists = (
        ("correct answers (any of these)", case.references),
        ("must include", case.must_include),
        ("must not include", case.must_not),
        ("ideal answer", [case.ideal] if case.ideal is not None else []),
    )
    given = [(name, texts) for name, texts in lists if texts]
    for name, texts in given:
        where.caption(name)
        for text in texts:
            show_text(where, text)
    if not given:
        where.caption("The case has no expected answer. Its scorers decide.")


def show_turns(where: DeltaGenerator, outcome: OutcomeItem | None, questions: Sequence[str]) -> None:
    """Show each answer of a case that was asked turn by turn under its question."""
    if outcome is None or not outcome.turns:
        show_alone(where, outcome)
        return
    for number, (question, answer) in enumerate(zip(questions, outcome.turns, strict=False), 1):
        where.caption(f"turn {number}: {plain(question)}")
        show_text(where, answer)


def show_alone(where: DeltaGenerator, outcome: OutcomeItem | None) -> None:
    if outcome is None:
        where.caption("This run does not have this sample.")
    elif outcome.text is None:
        where.caption(f"No answer: {plain(outcome.error_class or 'it was not stored')}.")
    else:
        show_text(where, outcome.text)


def show_score(where: DeltaGenerator, score: ScoreItem) -> None:
    value = "no verdict" if score.value is None else f"{score.value:g}"
    how = f", {plain(score.failure_category)}" if score.failure_category != "none" else ""
    raw = "" if score.raw is None else f", raw {score.raw:g}"
    role = "" if score.decides else ", not part of the verdict"
    name = f"{plain(score.metric)} {plain(score.scorer_version)}"
    where.caption(f"{name}: **{plain(score.label)}** ({value}{raw}{role}){how}")
    if score.reason:
        show_text(where, score.reason)


def show_tool_call(where: DeltaGenerator, call: ToolCallItem) -> None:
    where.caption(f"tool call **{plain(call.name)}**")
    show_text(where, call.arguments)
    if call.result is not None:
        where.caption("result")
        show_text(where, call.result)


def show_amounts(where: DeltaGenerator, outcome: OutcomeItem) -> None:
    """Show the latency, the cost and the length of one answer, and the error that replaced it."""
    facts = [
        None if outcome.latency_ms is None else f"{outcome.latency_ms:,.0f} ms",
        None if outcome.cost_usd is None else f"{outcome.cost_usd:.6f} USD",
        None if outcome.input_tokens is None else f"{count(outcome.input_tokens, 'token')} in",
        None if outcome.output_tokens is None else f"{count(outcome.output_tokens, 'token')} out",
        None if outcome.error_class is None else f"error {plain(outcome.error_class)}",
    ]
    where.caption(" · ".join(fact for fact in facts if fact is not None) or "Latency and cost were not reported.")
