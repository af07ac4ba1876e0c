"""Generate docs/daemon-metrics.md from the declared metrics: `python -m monitor.telemetry.describe [--check]`."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from monitor import generated_docs
from monitor.telemetry.metric import Metric
from monitor.telemetry.metrics import AREAS

NAME: Final = "daemon-metrics.md"
_HEAD: Final = """# Metrics of the daemon

`python -m monitor.telemetry.describe` generates this page from the declared metrics in `monitor/telemetry`. Prometheus
scrapes them from `/metrics`; over OTLP the same metrics have dots ([telemetry.md](telemetry.md)). A histogram has the
series `_bucket`, `_sum` and `_count`. `helm/driftd/files/driftd-alerts.yaml` has the alerting rules
([telemetry.md](telemetry.md#alerting-rules)).
"""
_UNITS: Final = {"s": "seconds", "By": "bytes", "usd": "US dollars", "{share}": "share (0 to 1)"}
_RUNBOOK: Final = re.compile(r"\b(runbooks?) ((?:[A-Z]\w+)(?:(?:, | and | or )[A-Z]\w+)*)")


def markdown() -> str:
    """Return the page: a table for each area."""
    parts = [_HEAD]
    for area, metrics in AREAS.items():
        head = ("metric", "type", "unit", "labels", "what", "what to do")
        parts.append(f"## {area}\n\n{generated_docs.table(head, _rows(metrics))}\n")
    return "\n".join(parts)


def _rows(metrics: Sequence[Metric]) -> Iterator[Sequence[str]]:
    for one in metrics:
        labels = ", ".join(f"`{label}`" for label in one.labels) or "-"
        name, action = f"`{one.prometheus_name}`", linked(one.action)
        yield name, one.kind, _UNITS.get(one.unit) or _plural(one.unit), labels, one.description, action


def linked(action: str) -> str:
    """Return the text with a link for each runbook that it names.

    >>> linked("See the runbook DeadLetters.")
    'See the runbook [DeadLetters](runbooks/DeadLetters.md).'
    """

    def links(found: re.Match[str]) -> str:
        return f"{found[1]} " + re.sub(r"[A-Z]\w+", r"[\g<0>](runbooks/\g<0>.md)", found[2])

    return _RUNBOOK.sub(links, action)


def _plural(unit: str) -> str:
    """Return the unit of a count: `{retry}` is retries."""
    word = unit.strip("{}").replace("_", " ")
    if word.endswith("ch"):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith(("ry", "ty")) else f"{word}s"


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.telemetry.describe", __doc__, lambda: {NAME: markdown()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
