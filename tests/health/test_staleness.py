import numpy as np

from monitor.health.redundancy import redundancy_of
from monitor.health.staleness import staleness_of
from replay.recorded.data import load_recorded
from tests.docs.markdown import ROOT

PRIMES = [q.question for q in load_recorded(ROOT / "examples/llmdrift/primes.jsonl.gz").questions[:120]]
TOPICS = {
    topic: words.split()
    for topic, words in {
        "returns": "return send back unopened kettle toaster refund label parcel days exchange receipt",
        "billing": "invoice charged twice card subscription cancel renew price vat discount bank month",
        "holidays": "flight hotel beach visa passport luggage train tickets island weather guide airport",
    }.items()
}
FILL = ["how", "can", "i", "please", "what", "when", "does", "the", "my", "a", "is", "do", "you", "for", "it", "with"]


def asked(topic: str, count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join([*rng.choice(FILL, 6), *rng.choice(TOPICS[topic], 4)]) for _ in range(count)]


def test_production_like_the_cases_is_far_as_often_as_the_cases_are() -> None:
    cases = [*asked("returns", 60, 1), *asked("billing", 60, 2)]
    found = staleness_of(cases, [*asked("returns", 200, 3), *asked("billing", 200, 4)])
    assert found.distant is not None
    assert found.uncovered is not None
    assert found.distant < 0.2
    assert found.uncovered < 0.1


def test_the_share_that_asks_about_something_else_is_told() -> None:
    cases = [*asked("returns", 60, 1), *asked("billing", 60, 2)]
    found = staleness_of(cases, [*asked("returns", 140, 3), *asked("holidays", 260, 5)])
    assert found.distant is not None
    assert found.uncovered is not None
    assert found.distant_low is not None
    assert found.distant_high is not None
    assert 0.5 < found.uncovered < 0.75  # 65 % do
    assert found.distant_low < found.distant < found.distant_high


def test_questions_of_another_kind_than_real_ones_are_far() -> None:
    assert staleness_of(PRIMES[:60], PRIMES[60:]).distant == 0.0
    assert staleness_of(PRIMES[:60], asked("holidays", 50, 6)).distant == 1.0


def test_too_few_cases_or_calls_tell_nothing() -> None:
    assert staleness_of(PRIMES[:19], PRIMES).distant is None
    assert staleness_of(PRIMES, PRIMES[:29]).uncovered is None
    assert staleness_of([], []).uncovered_categories == {}


def test_categories_of_production_that_no_case_has_are_told() -> None:
    calls: list[str | None] = [*["returns"] * 70, *["holidays"] * 29, "typo", None, None]
    found = staleness_of(["x"], ["y"] * 102, ["returns", "billing"], calls)
    assert found.uncovered_categories == {"holidays": 0.29, "typo": 0.01}


def test_each_category_is_counted_in_production_and_in_the_set() -> None:
    calls: list[str | None] = [*["returns"] * 70, *["holidays"] * 29, None]
    found = staleness_of(["x"] * 3, ["y"] * 100, ["returns", "billing", "returns"], calls)
    assert [(one.category, one.calls, one.cases) for one in found.categories] == [
        ("returns", 70, 2),
        ("holidays", 29, 0),
        ("billing", 0, 1),
    ]


def test_cases_that_ask_the_same_are_grouped() -> None:
    texts = {str(n): text for n, text in enumerate(PRIMES)}
    assert redundancy_of(texts).groups == ()
    texts |= {"copy": f"{PRIMES[3]}!", "again": PRIMES[3].upper(), "twin": PRIMES[9]}
    found = redundancy_of(texts)
    assert [set(group) for group in found.groups] == [{"3", "copy", "again"}, {"9", "twin"}]
    assert (found.redundant, found.share) == (3, 3 / 123)
    assert redundancy_of({}).share == 0.0
