"""Terminal output of `driftd interactions`."""

from monitor.api.schema.interactions import CallMessageItem, InteractionDetail, InteractionPage, RelatedCallItem
from monitor.cli.terminal.output import print_facts, print_line, print_table

CUT = 50  # characters of a text in a table


def print_page(found: InteractionPage) -> None:
    rows = [
        (
            item.id,
            item.started_at,
            item.deployment,
            item.error_class or item.status,
            item.duration_ms,
            _cut(item.input_text),
            _cut(item.output_text),
        )
        for item in found.items
    ]
    print_table(("call", "at", "deployment", "result", "ms", "input", "output"), rows, "no matching call")
    if found.searched_to is not None:
        print_line(f"searched back to {found.searched_to.isoformat()}; continue with --cursor {found.next_cursor}")


def print_interaction(found: InteractionDetail) -> None:
    call = found.interaction
    print_facts(
        [
            ("call", call.id),
            ("deployment", call.deployment),
            ("at", call.started_at),
            ("version", found.version_label or call.identity),
            ("result", call.error_class or call.status),
            ("latency", None if call.duration_ms is None else f"{call.duration_ms:.0f} ms"),
            ("tokens", f"{call.input_tokens} in, {call.output_tokens} out" if call.input_tokens is not None else None),
            ("cost", None if call.cost_usd is None else f"{call.cost_usd:.6f} USD"),
            ("category", call.category),
            ("user", call.user_id),
            ("trace", call.trace_id),
            ("conversation", call.conversation_id),
        ]
    )
    for message in (*found.input, *found.output):
        _print_message(message)
    print_line("")
    effects = [
        (one.feedback.at, one.feedback.kind, one.feedback.value, one.feedback.is_correction, one.candidate_id)
        for one in found.feedback
    ]
    print_table(("feedback at", "kind", "value", "correction", "candidate"), effects, "no feedback")
    if len(found.related) > 1:
        print_line("")
        print_table(("call", "at", "result", "input"), [_related(call) for call in found.related], "")


def _print_message(message: CallMessageItem) -> None:
    print_line("")
    print_line(f"{'tool result' if message.tool_call_id else message.role}:")
    for line in message.content.splitlines():
        print_line(f"  {line}")
    for called in message.tool_calls:
        print_line(f"  tool call {called.name} {called.arguments}")


def _related(call: RelatedCallItem) -> tuple[object, ...]:
    return (call.id, call.started_at, call.status, "  " * call.depth + _cut(call.input_text))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= CUT else f"{line[: CUT - 1]}…"
