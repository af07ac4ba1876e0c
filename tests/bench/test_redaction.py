"""The page on redaction says what is measured: its tables are those of the kept results, and those are today's."""

from pathlib import Path

from bench.redaction_study import ours, speed
from bench.redaction_study.measurement import read
from bench.redaction_study.quality import Quality, qualities
from bench.redaction_study.report import GOAL_US, report
from bench.redaction_study.sample import Labelled, Span, parse, read_sample

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = read(ROOT / "bench" / "results" / "redaction.json")
PAGE = (ROOT / "docs" / "redaction.md").read_text(encoding="utf-8")


def test_the_page_has_the_tables_of_the_stored_results() -> None:
    assert PAGE.endswith(report(PROGRAMS))


def test_the_stored_quality_matches_the_current_rules() -> None:
    assert list(PROGRAMS[0].quality) == qualities(read_sample(), ours.find)


def test_the_page_counts_the_sample_right() -> None:
    sample = read_sample()
    assert f"{len(sample)} texts" in PAGE
    assert f"{sum(len(item.spans) for item in sample)} labelled values" in PAGE


def test_the_stored_speed_reaches_its_target() -> None:
    driftd, plain, *_ = PROGRAMS
    for name in list(speed.TEXTS)[:1]:
        assert driftd.us[name] <= GOAL_US
        assert plain.us[name] >= 10 * driftd.us[name]


def test_a_value_of_which_a_byte_stays_is_not_taken_out() -> None:
    item = parse("card [[card|4111]] and 17")
    short, whole, wrong = Span(kind="card", start=5, end=8), item.spans[0], Span(kind="ip", start=14, end=16)
    assert qualities([item], lambda _: [short]) == [Quality(kind="card", labelled=1, taken_out=0, found=1, right=1)]
    assert qualities([item], lambda _: [whole, wrong]) == [
        Quality(kind="card", labelled=1, taken_out=1, found=1, right=1),
        Quality(kind="ip", labelled=0, taken_out=0, found=1, right=0),
    ]


def test_offsets_of_labels_are_bytes() -> None:
    item = parse("für [[email|ö@ü.de]]·")
    assert item == Labelled(text="für ö@ü.de", spans=(Span(kind="email", start=5, end=13),))
    assert item.text.encode()[5:13].decode() == "ö@ü.de"
