"""Time every answer of the API and every page of the dashboard over a large store: `python bench/dashboard.py`.

The store has 10 million calls, 1,000 runs and a million outcomes (bench/large_store.py, some minutes). `--keep
FOLDER` writes it there, or uses the one that is there. A daemon of its own serves it. Chromium, with the caches of a
browser that opened the pages before, loads each page through a relay that records the requests of the page; `*` marks
them in the table. Then each request, and every other GET of the API, is timed alone. Limits: 300 ms for an answer
(95th percentile), 1 s for the first text of a page, 2 s for the whole page, and 0.7 s for the whole page when the tab
returns to it from another page (median). A bare page of Streamlit is loaded in the same rounds: a page of driftd
cannot be faster. The exit code is 1 when a limit is missed. `ratio` is the median over that of `GET /healthz` in the
same run, `cpu` the CPU time of the daemon for an answer: both say more than times on a machine with other work.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import httpx

from bench.dashboard_study.answers import REFERENCE, Timed, cpu_s, distinct, time_answer
from bench.dashboard_study.pages import Loaded, bare_page, dashboard, load_pages, targets_of
from bench.dashboard_study.relay import recording, round_trips
from bench.dashboard_study.report import markdown, missed, report
from bench.ingest_study.server import free_port
from bench.large_api import daemon, requests_of
from bench.large_store import CONFIG, Size, settle, write_large_store

LOOPS_S: Final = 900  # for the health of 90 past days of each set
QUIET_S: Final = 15  # longer than the pause of a loop without work
MOST_QUIET: Final = 0.2  # of one core: the loops of an idle daemon need 0.1 with 10 million calls
REPORTED: Final = 15  # answers in the tables of the documentation
API: Final = "the API"  # the name of the requests that no page made


def measure(config: Path, size: Size, rounds: int, page_rounds: int) -> dict[str, Any]:
    """Measure a daemon on the store of `config`. With 0 `page_rounds`, no page is opened."""
    with daemon(config) as (url, process), httpx.Client(base_url=url, timeout=60.0) as client:
        wait_for_loops(process.pid)
        loaded = _loaded(url, page_rounds) if page_rounds else []
        asked = [(exchange.target, one.page) for one in loaded for exchange in one.exchanges]
        document = client.get("/openapi.json").json()
        asked += [(path + (f"?{urlencode(query)}" if query else ""), API) for path, query in requests_of(document)]
        reference = time_answer(client, process.pid, REFERENCE, max(rounds, 20))
        answers = [
            time_answer(client, process.pid, target, rounds, pages - {API}) for target, pages in distinct(asked).items()
        ]
    return {
        "size": asdict(size) | {"outcomes": size.runs * size.cases},
        "rounds": rounds,
        "load": os.getloadavg()[0],
        "reference": _answer(reference, reference),
        "answers": sorted(
            (_answer(one, reference) for one in answers if one.pages or one.status == httpx.codes.OK),
            key=lambda one: -one["p95_ms"],
        ),
        "pages": _pages(loaded),
    }


def wait_for_loops(pid: int) -> None:
    """Wait until the loops have stored what they compute once: until the process needs little CPU time for a while."""
    for _ in range(LOOPS_S // QUIET_S):
        before = cpu_s(pid)
        time.sleep(QUIET_S)
        if cpu_s(pid) - before < MOST_QUIET * QUIET_S:
            return
    sys.stderr.write(f"the loops of the daemon still work after {LOOPS_S} s, which slows the answers\n")


def _loaded(url: str, rounds: int) -> list[Loaded]:
    from tests.dashboards.browser import profile

    with ExitStack() as stack:
        record = stack.enter_context(recording(url))
        pages, bare = stack.enter_context(dashboard(record.url)), stack.enter_context(bare_page())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="driftd-browser-")))
        context = stack.enter_context(profile(folder, {"width": 1440, "height": 1100}))
        return load_pages(context, targets_of(pages, bare), record, rounds)


def _answer(one: Timed, reference: Timed) -> dict[str, Any]:
    return {
        "target": one.target,
        "pages": one.pages,
        "status": one.status,
        "bytes": one.bytes,
        "first_ms": round(one.first_ms, 1),
        "p50_ms": round(one.p50_ms, 1),
        "p95_ms": round(one.p95_ms, 1),
        "cpu_ms": round(one.cpu_ms, 1),
        "ratio": round(one.p50_ms / reference.p50_ms, 1),
    }


def _pages(loaded: Iterable[Loaded]) -> list[dict[str, Any]]:
    by_page: dict[str, list[Loaded]] = {}
    for one in loaded:
        by_page.setdefault(one.page, []).append(one)
    return [_page(name, loads) for name, loads in by_page.items()]


def _page(name: str, loads: list[Loaded]) -> dict[str, Any]:
    last = list(loads[-1].exchanges)
    return {
        "page": name,
        "first_ms": round(statistics.median(one.first_ms for one in loads)),
        "whole_ms": round(statistics.median(one.whole_ms for one in loads)),
        "again_ms": _median(one.again_ms for one in loads if one.again_ms is not None),
        "requests": len(last),
        "round_trips": round_trips(last),
        "waited_ms": round(sum(one.ended_s - one.began_s for one in last) * 1e3),
        "error": any(one.error for one in loads),
    }


def _median(found: Iterable[float]) -> int | None:
    values = list(found)
    return round(statistics.median(values)) if values else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="write the store to this folder, or use the one that is there")
    parser.add_argument("--calls", type=int, default=Size().calls, help="a multiple of 100,000 (%(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="requests of each kind (%(default)s)")
    parser.add_argument("--page-rounds", type=int, default=3, help="loads of each page; 0 for none (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the measurement to this file too")
    parser.add_argument("--report", type=Path, help="measure nothing: print this file as tables for the documentation")
    return parser.parse_args()


def stored(folder: Path, size: Size) -> Size:
    """Write a store of this size, unless the folder has one. Return the size of the store."""
    known = folder / "size.json"
    if not known.exists():
        write_large_store(folder, size, free_port())
        known.write_text(json.dumps(asdict(size)), encoding="utf-8")
    config = folder / "driftd.yaml"
    config.write_text(CONFIG.replace("PORT", str(free_port())), encoding="utf-8")
    settle(config)  # the days that ended since the store was written
    return Size(**json.loads(known.read_text(encoding="utf-8")))


def main() -> int:
    asked = _arguments()
    if asked.report:
        sys.stdout.write(markdown(json.loads(asked.report.read_text(encoding="utf-8")), REPORTED))
        return 0
    with tempfile.TemporaryDirectory(prefix="driftd-dashboard-") as temporary:
        folder = asked.keep or Path(temporary)
        size = stored(folder, Size(calls=asked.calls))
        measured = measure(folder / "driftd.yaml", size, asked.rounds, asked.page_rounds)
    sys.stdout.write(report(measured))
    if asked.json:
        asked.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    slow = missed(measured)
    sys.stdout.writelines(f"missed: {one}\n" for one in slow)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
