"""Simulates half a year of nights of a whole daemon on recorded answers, and compares the pages with what happened.

`python bench/soak.py` plays 180 nights in which nothing changes, then 180 nights with three changes, two nights without
the target and six hours without the receiver: about ten minutes each. Leaves with 1 when a page is missing or too many.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from bench.alert_results import write_result
from tests.soak.judge import judge
from tests.soak.nights import soaking
from tests.soak.plan import Plan, incidents, quiet

PLANS: dict[str, Callable[[int, int], Plan]] = {"quiet": quiet, "incidents": incidents}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nights", type=int, default=180, help="of each plan (%(default)s)")
    parser.add_argument("--cases", type=int, default=100, help="of the eval set (%(default)s)")
    parser.add_argument("--only", choices=sorted(PLANS), help="one plan alone")
    parser.add_argument("--store", action="store_true", help="write the result to bench/results/alerting")
    options = parser.parse_args()
    held = [
        _played(name, plan(options.nights, options.cases), store=options.store)
        for name, plan in PLANS.items()
        if options.only in {None, name}
    ]
    return 0 if all(held) else 1


def _played(name: str, plan: Plan, *, store: bool) -> bool:
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="driftd-soak-") as folder, soaking(Path(folder), plan) as soak:
        soak.play(lambda night: _say(f"{name}: night {night}, {len(soak.pages)} pages") if night % 10 == 0 else None)
        verdict, alerts = judge(plan, soak.pages), soak.alerts()
    for page in soak.pages:
        _say(f"  night {page.night:>3}  {page.at}  {page.reason:<12} {', '.join(page.rules)}")
    for alert in alerts:
        _say(f"  alert {alert['rule']} on {alert['fired_at']}, {alert['state']} {alert['resolved_at'] or ''}")
    for fault in verdict:
        _say(f"  {fault}")
    _say("HOLDS\n" if not verdict else "BROKEN\n")
    if store:
        write_result(f"soak_{name}", _document(plan, verdict, monotonic() - began, soak.pages, alerts))
    return not verdict


def _document(
    plan: Plan, verdict: list[str], seconds: float, pages: list[Any], alerts: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "plan": asdict(plan),
        "seconds": round(seconds),
        "faults": verdict,
        "pages": [asdict(page) | {"states": sorted(page.states.values())} for page in pages],
        "alerts": alerts,
    }


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
