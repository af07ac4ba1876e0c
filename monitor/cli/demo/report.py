"""The terminal report of the demo: what happened, what the daemon detected, which claims hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from monitor.cli.demo.proof import Claim


def print_report(console: Console, result: Mapping[str, Any], claims: Sequence[Claim]) -> None:
    console.print()
    console.print(_runs(result["runs"]))
    console.print(_comparisons(result))
    for claim in claims:
        console.print(f"[green]holds[/]  {claim.sentence}" if claim.holds else f"[red]FALSE[/]  {claim.sentence}")


def _runs(runs: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="Replays", title_justify="left")
    for heading in ("set", "trigger", "version", "Q", "pass rate", "cases", "cost"):
        table.add_column(heading, justify="right" if heading in {"Q", "pass rate", "cases", "cost"} else "left")
    for run in runs:
        rate = "no data" if run["pass_rate"] is None else f"{run['pass_rate']:.1%}"
        cost = "unknown" if run["cost_usd"] is None else f"${run['cost_usd']:.2f}"
        cells = (run["set"], run["trigger"], run["version"] or "?", f"{run['resample']:g}", rate)
        table.add_row(*cells, str(run["cases"]), cost)
    return table


def _comparisons(result: Mapping[str, Any]) -> Table:
    table = Table(title="The run before the change and the run after it, case by case", title_justify="left")
    for heading in ("set", "category", "before", "after", "difference", "cases", "adjusted p"):
        table.add_column(heading, justify="left" if heading in {"set", "category"} else "right")
    changed = {r["run_id"] for r in result["runs"] if r["trigger"] == "change"}
    for comparison in (c for c in result["comparisons"] if c["candidate_run"] in changed):
        interval = f"{comparison['effect']:+.1%} [{comparison['ci_low']:+.1%}, {comparison['ci_high']:+.1%}]"
        rates = (f"{comparison['baseline']:.1%}", f"{comparison['candidate']:.1%}")
        table.add_row(comparison["set"], "overall", *rates, interval, str(comparison["n"]), "")
        for row in comparison["categories"]:
            rates = (f"{row['baseline']:.1%}", f"{row['candidate']:.1%}")
            change = f"{row['candidate'] - row['baseline']:+.1%}"
            table.add_row("", row["category"], *rates, change, str(row["n"]), f"{row['p_value_adjusted']:.2g}")
    return table
