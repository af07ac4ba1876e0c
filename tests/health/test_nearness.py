"""Nearness on an absolute scale: on templated sets, on natural sets, on real texts."""

import gzip
import json

import pytest

from monitor.health.staleness import staleness_of
from replay.recorded.data import load_recorded
from tests.docs.markdown import ROOT
from tests.health.test_staleness import asked

THINGS = (  # noqa: SIM905  shorter than a list
    "kettle toaster lamp sofa chair desk monitor keyboard mouse rug mirror shelf bed pillow blanket curtain fan "
    "heater fridge oven stove dishwasher washer dryer vacuum iron clock vase printer router tablet phone camera"
).split()
REFUNDS = [f"I bought a {each} two weeks ago, can I still return the {each} for a full refund?" for each in THINGS]
VARIANTS = [f"{text}{end}" for text in REFUNDS for end in ("", " Thanks.", " It is unopened.")]
ORDERS = [f"Where is my order {100_000 + 37 * n}?" for n in range(60)]
PRIMES = [q.question for q in load_recorded(ROOT / "examples/llmdrift/primes.jsonl.gz").questions[:200]]
GREETING = "Good morning, I hope you are having a pleasant day! "


def natural() -> list[str]:
    """The first 200 problems of GSM8K's test set: no two are about the same."""
    with gzip.open(ROOT / "tests/data/gsm8k/questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["question"] for line in lines]


GSM8K = natural()
SETS = {"refunds": REFUNDS, "variants": VARIANTS, "orders": ORDERS, "primes": PRIMES[:100], "gsm8k": GSM8K[:100]}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("before", ["", GREETING])
@pytest.mark.parametrize("after", ["", "\n\nKind regards, Ada"])
def test_traffic_that_repeats_the_cases_is_near_them_whatever_stands_around(name: str, before: str, after: str) -> None:
    cases = SETS[name]
    found = staleness_of(cases, [f"{before}{case}{after}" for case in cases])
    assert found.distant == 0.0
    assert found.uncovered == 0.0


@pytest.mark.parametrize("before", ["", GREETING])
def test_other_values_in_the_same_template_are_near(before: str) -> None:
    for texts in (VARIANTS, ORDERS, PRIMES):
        half = len(texts) // 2
        found = staleness_of(texts[:half], [before + text for text in texts[half:]])
        assert found.distant is not None
        assert found.distant <= 0.1, texts[0]


def test_other_questions_of_a_natural_set_are_as_far_as_its_cases_are() -> None:
    found = staleness_of(GSM8K[:100], GSM8K[100:])
    assert found.distant is not None
    assert found.distant < 0.2


@pytest.mark.parametrize("name", SETS)
def test_what_asks_about_something_else_is_far_from_every_kind_of_set(name: str) -> None:
    others = {"holidays": asked("holidays", 60, 6), **{key: texts for key, texts in SETS.items() if key != name}}
    if name in {"refunds", "variants"}:
        del others["variants" if name == "refunds" else "refunds"]
    for other, texts in others.items():
        found = staleness_of(SETS[name], texts)
        assert found.distant is not None
        assert found.distant > 0.7, (name, other)


def test_a_long_text_is_not_near_because_it_holds_common_words() -> None:
    long = [" ".join(GSM8K[n : n + 20]) for n in range(0, 160, 4)]
    found = staleness_of(REFUNDS, long)
    assert found.distant is not None
    assert found.distant > 0.9
