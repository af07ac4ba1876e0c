"""Generate docs/benchmarks.md from the table of benchmarks: `python -m monitor.benchmarks.describe [--check]`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from monitor import generated_docs
from monitor.benchmarks.table import BENCHMARKS
from monitor.benchmarks.types import Benchmark, Reproduced
from replay.evalsets.formats.registry import SET_FORMATS
from replay.results.table import RESULT_FORMATS

NAME = "benchmarks.md"
_HEAD = """# Benchmarks and tools

`python -m monitor.benchmarks.describe` generates this page from `monitor/benchmarks/table.py`.

For each system: what is read, the metric as its authors publish it and how driftd computes it, the figures that are
reproduced here, and what is known to be weak. There are two doors: `driftd sets import` reads cases
([eval-sets.md](eval-sets.md)), and `driftd results` reads the results of other tools ([results.md](results.md)).
`driftd results show` prints every figure with its 95 % interval, and `driftd results check` compares our verdicts with
those of the authors.

`tests/benchmarks/test_reproduced.py` checks each reproduced figure on the file that is named. The files are published
or tool-written; they are not part of the repository.
"""


def markdown() -> str:
    """Return the page: an overview, and a section for each system."""
    return "\n".join([_HEAD, *_overview(), "", *(line for each in BENCHMARKS for line in _section(each)), *_others()])


def _overview() -> Iterator[str]:
    yield "| system | results | sets | reproduced | scored again by |"
    yield "|---|---|---|---|---|"
    for each in BENCHMARKS:
        scorers = _codes(tuple(dict.fromkeys(rescorer.kind for rescorer in each.rescorers)))
        anchor = _anchor(each.title)
        yield (
            f"| [{each.title}](#{anchor}) | {_codes(each.results)} | {_codes(each.sets)} | "
            f"{len(each.reproduced) or '-'} | {scorers} |"
        )


def _anchor(title: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return "".join(each for each in title.lower().replace(" ", "-") if each.isalnum() or each in "-_")


def _plain(text: str) -> str:
    """Return a text in which an asterisk is no emphasis."""
    return text.replace("*", r"\*")


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "-"


def _section(benchmark: Benchmark) -> Iterator[str]:
    yield f"## {benchmark.title}\n"
    for name in benchmark.results:
        yield f"- **Results**, `{name}`: {_plain(RESULT_FORMATS[name].description)}"
    for name in benchmark.sets:
        yield f"- **Cases**, `{name}`: {_plain(SET_FORMATS[name].description)}"
    yield f"- **Published metric:** {benchmark.metric}."
    yield f"- **Computed here:** {benchmark.formula}."
    yield f"- **Source:** {benchmark.source}."
    yield f"- **Known weaknesses:** {benchmark.weaknesses}."
    yield f"- **Command:** `{benchmark.command}`\n"
    if benchmark.reproduced:
        yield from _reproduced(benchmark.reproduced)


def _reproduced(figures: Sequence[Reproduced]) -> Iterator[str]:
    yield "| reproduced figure | value | from |"
    yield "|---|---|---|"
    runs = {(each.file, each.run) for each in figures}
    several = {file for file, _ in runs if len([one for one, _ in runs if one == file]) > 1}
    for each in figures:
        place = f", run {each.run + 1}" if each.file in several and each.run is not None else ""
        yield f"| {each.figure} | {each.value:.6g} | {each.source}{place} (`{Path(each.file).name}`) |"
    yield ""


def _others() -> Iterator[str]:
    """Yield the formats of cases that belong to none of the systems."""
    listed = {name for each in BENCHMARKS for name in each.sets}
    others = [each for name, each in SET_FORMATS.items() if name not in listed]
    yield "## Other formats of cases\n"
    yield from (f"- `{each.name}`: {_plain(each.description)}" for each in others)
    yield ""


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.benchmarks.describe", __doc__, lambda: {NAME: markdown()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
