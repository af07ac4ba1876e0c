"""Stores the results of the proofs of alerting in bench/results/alerting, and prints them as a table of docs/alerts.md.

`python -m bench.alert_results` prints the table.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.replay_study.machine import conditions

RESULTS = Path(__file__).parent / "results" / "alerting"


def write_result(name: str, figures: Mapping[str, Any]) -> Path:
    """Write `figures` and the machine, the time and the load to NAME.json. Return its path."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    document = {"conditions": asdict(conditions()), **figures}
    path.write_text(f"{json.dumps(document, indent=1)}\n", encoding="utf-8")
    return path


def table(folder: Path = RESULTS) -> str:
    """Return a Markdown table of the stored results, one row for each."""
    rows = [_row(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]
    return "\n".join(["| proof | result | duration, and load at its end |", "|---|---|---|", *rows]) + "\n"


def _row(result: Mapping[str, Any]) -> str:
    at = result["conditions"]
    where = f"{at['at'][:10]}, load {at['load_before']:.1f} on {at['cores']} cores"
    proof, found, duration = _kills(result) if "kills" in result else _soak(result)
    return f"| {proof} | {found} | {duration}{where} |"


def _kills(result: Mapping[str, Any]) -> tuple[str, str, str]:
    lost = result["firings_lost"] + result["resolutions_lost"]
    found = [
        f"{result['alerts']} alerts, {result['deliveries']} deliveries: {lost} firings and resolutions lost",
        f"{result['actions_lost']} of {result['actions']} actions of persons lost",
        f"{result['twice']} notifications delivered again with their id",
        f"{result['same_meaning']} with another id ({result['duplicates']:.1%} duplicates)",
    ]
    return f"{result['kills']} kills, up to {result['longest_life_s']:g} s after a start", ", ".join(found), ""


def _soak(result: Mapping[str, Any]) -> tuple[str, str, str]:
    plan, pages = result["plan"], result["pages"]
    groups = len({page["group"] for page in pages})
    resolved = len([page for page in pages if page["reason"] == "resolved"])
    what = f"{len(plan['changes'])} changes, {len(plan['target_down'])} nights without the target, 6 h without receiver"
    return (
        f"{plan['nights']} nights of {plan['cases']} cases; {what if plan['changes'] else 'nothing changes'}",
        f"{groups} pages, {resolved} resolved; {len(result['faults'])} missing or too many",
        f"{result['seconds'] / 60:.0f} min, ",
    )


if __name__ == "__main__":
    sys.stdout.write(table())
