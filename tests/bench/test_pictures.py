"""The pictures of docs/read-a-verdict.md are the output of the command, with alternative texts."""

import doctest
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from bench.make_pictures import IMAGES, PICTURES
from bench.picture_book import svg
from bench.picture_book.collapse import PRIMES, collapse
from bench.picture_book.intervals import CHANGE, SIZES, seen
from bench.picture_book.small_drop import CHANGE as DROP_NIGHT
from bench.picture_book.small_drop import story
from tests.docs.markdown import ROOT, read

PAGE = ROOT / "docs" / "read-a-verdict.md"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
A_PIXEL = 1.0  # other processors round differently


def shapes(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    for shape in ET.fromstring(text).iter():
        yield shape.tag, dict(shape.attrib), shape.text or ""


def numbers(value: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(value)]


@pytest.mark.parametrize("name", PICTURES)
def test_the_stored_picture_is_the_one_the_command_makes(name: str) -> None:
    stored, made = list(shapes((IMAGES / name).read_text(encoding="utf-8"))), list(shapes(PICTURES[name]()))
    again = f"{name} is not what the code draws; run: python bench/make_pictures.py"
    assert [(tag, sorted(attributes), words) for tag, attributes, words in stored] == [
        (tag, sorted(attributes), words) for tag, attributes, words in made
    ], again
    for (_, old, _), (_, new, _) in zip(stored, made, strict=True):
        for key, value in old.items():
            assert numbers(value) == pytest.approx(numbers(new[key]), abs=A_PIXEL), again


def test_every_picture_is_on_the_page_with_an_alternative_text() -> None:
    shown = dict(re.findall(r"!\[([^\]]+)\]\(images/([\w-]+\.svg)\)", read(PAGE).prose))
    assert set(shown.values()) == set(PICTURES)
    assert all(len(words) > 40 for words in shown)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_written_outside_of_the_card(name: str) -> None:
    root = ET.fromstring(PICTURES[name]())
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
        wide = 0.56 * size * len(text.text or "")
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.attrib["text-anchor"]]
        assert left >= 0, text.text
        assert left + wide <= width, text.text
        assert size <= y <= height, text.text


def test_the_small_drop_is_detected_after_it_began_and_a_fixed_threshold_alarmed_before() -> None:
    told = story()
    assert told.alert.night >= DROP_NIGHT
    assert told.by_threshold[0] < DROP_NIGHT


def test_the_larger_set_sees_the_smaller_change() -> None:
    found = [seen(cases) for cases in SIZES]
    assert [one.detectable for one in found] == sorted((one.detectable for one in found), reverse=True)
    assert all(one.new.low <= one.these.low <= one.delta <= one.these.high <= one.new.high for one in found)
    assert all(one.new.low <= CHANGE <= one.new.high for one in found)
    assert found[0].these.high > 0  # fifty cases do not tell four points from none
    assert found[-1].new.high < 0


def test_the_average_stays_while_the_primes_collapse() -> None:
    passed, alert = collapse()
    overall, primes = passed.mean(axis=1), passed[:, :PRIMES].mean(axis=1)
    after = slice(alert.onset, None)
    assert abs(overall[after].mean() - overall[: alert.onset].mean()) < 0.03
    assert primes[after].mean() < 0.1 < 0.9 < primes[: alert.onset].mean()
    assert (alert.channel, alert.night) == ("prime", alert.onset)


def test_the_examples_in_the_drawing_code_are_true() -> None:
    found = doctest.testmod(svg)
    assert found.attempted > 0
    assert found.failed == 0
