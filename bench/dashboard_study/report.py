"""The tables of `bench/dashboard.py`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bench.dashboard_study.pages import BARE

MOST_ANSWER_MS: Final = 300.0
MOST_FIRST_MS: Final = 1_000.0
MOST_WHOLE_MS: Final = 2_000.0
MOST_AGAIN_MS: Final = 700.0
DOWNLOADS: Final = ("/api/v1/histories",)  # every night of a set, megabytes for `driftd backtest`: without a limit


def report(measured: Mapping[str, Any]) -> str:
    """Return the measurement as text, the slowest answer first."""
    return "\n".join(_lines(measured)) + "\n"


def missed(measured: Mapping[str, Any]) -> list[str]:
    """Return the answers and pages that are slower than allowed, in words."""
    slow = [
        f"{one['target']}: {one['p95_ms']:.0f} ms"
        for one in measured["answers"]
        if one["p95_ms"] > MOST_ANSWER_MS and not one["target"].startswith(DOWNLOADS)
    ]
    for one in [one for one in measured["pages"] if one["page"] != BARE]:
        if one["first_ms"] > MOST_FIRST_MS:
            slow.append(f"page {one['page']}: first content after {one['first_ms']:.0f} ms")
        if one["whole_ms"] > MOST_WHOLE_MS:
            slow.append(f"page {one['page']}: whole after {one['whole_ms']:.0f} ms")
        if one["again_ms"] > MOST_AGAIN_MS:
            slow.append(f"page {one['page']}: again whole after {one['again_ms']:.0f} ms")
    return slow


def markdown(measured: Mapping[str, Any], answers: int) -> str:
    """Return the tables of the slowest answers and of all pages for docs/dashboard-speed.md."""
    size, reference = measured["size"], measured["reference"]
    kinds = f"{size['calls']:,} calls, {size['runs']:,} runs, {size['outcomes']:,} outcomes"
    reference_ms = f"`{reference['target']}` takes {reference['p50_ms']:.0f} ms"
    lines = [
        f"{kinds}; {measured['rounds']} requests of each kind; {reference_ms}; load {measured['load']:.1f}.",
        "",
        "| answer | 95th percentile, ms | median, ms | CPU, ms |",
        "|---|---|---|---|",
        *(
            f"| `{one['target']}` | {one['p95_ms']:.0f} | {one['p50_ms']:.0f} | {one['cpu_ms']:.0f} |"
            for one in measured["answers"][:answers]
        ),
        "",
        "| page | first content, ms | whole page, ms | seen again, ms | requests | in turn |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one['page'] or 'overview'} | {one['first_ms']:.0f} | {one['whole_ms']:.0f} | {_again(one)} "
            f"| {one['requests']} | {one['round_trips']} |"
            for one in measured["pages"]
        ),
    ]
    return "\n".join(lines) + "\n"


def _again(page: Mapping[str, Any]) -> str:
    found = page.get("again_ms")  # older measurements do not have it
    return "" if found is None else f"{found:.0f}"


def _lines(measured: Mapping[str, Any]) -> Iterator[str]:
    size, reference = measured["size"], measured["reference"]
    yield (
        f"{size['calls']:,} calls, {size['runs']:,} runs, {size['outcomes']:,} outcomes; {measured['rounds']} requests "
        f"each; reference {reference['target']}: {reference['p50_ms']:.1f} ms; load {measured['load']:.1f}"
    )
    yield ""
    times = f"{'p95 ms':>8} {'p50 ms':>8} {'first':>8} {'cpu ms':>7}"
    yield f"{times} {'ratio':>7} {'bytes':>9}  answer (most {MOST_ANSWER_MS:.0f} ms)"
    for one in measured["answers"]:
        mark = "*" if one["pages"] else " "
        yield (
            f"{one['p95_ms']:8.0f} {one['p50_ms']:8.0f} {one['first_ms']:8.0f} "
            f"{one['cpu_ms']:7.0f} {one['ratio']:7.1f} {one['bytes']:9} "
            f"{mark}{one['target']}" + ("" if one["status"] == 200 else f" ({one['status']})")
        )
    if not measured["pages"]:
        return
    yield ""
    yield f"{'first ms':>9} {'whole ms':>9} {'again ms':>9} {'requests':>9} {'in turn':>8} {'waited ms':>10}  page"
    for one in measured["pages"]:
        error = " (shows an error)" if one["error"] else ""
        yield (
            f"{one['first_ms']:9.0f} {one['whole_ms']:9.0f} {_again(one):>9} {one['requests']:9} "
            f"{one['round_trips']:8} {one['waited_ms']:10.0f}  {one['page']}{error}"
        )
