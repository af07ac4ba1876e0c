from collections import Counter

from monitor.jobs.traffic_reports.topics import topics_of

SUBJECTS = ("invoice payment card", "delivery parcel courier", "password login account", "refund return shop")


def inputs(count: int, *, only: int | None = None) -> list[str | None]:
    return [f"question about {SUBJECTS[n % 4 if only is None else only]} number {n}" for n in range(count)]


def test_inputs_of_one_subject_share_a_topic_night_after_night() -> None:
    reference, now = topics_of(inputs(400), inputs(100, only=1))
    assert len(set(now)) == 1
    assert {reference[n] for n in range(400) if n % 4 == 1} == set(now)
    assert topics_of(inputs(400), inputs(100, only=1)) == (reference, now)


def test_topics_are_numbered_by_their_size_and_hold_no_word() -> None:
    reference, _ = topics_of(inputs(400) + inputs(400, only=2), inputs(1))
    most, _ = Counter(reference).most_common(1)[0]
    assert most == "topic 1"
    assert {name.split()[0] for name in reference if name} == {"topic"}


def test_a_missing_text_has_no_topic() -> None:
    reference, now = topics_of([*inputs(400), None], [None])
    assert (reference[-1], now) == (None, [None])


def test_few_texts_or_no_common_word_make_no_topics() -> None:
    assert topics_of(inputs(50), inputs(2)) == ([None] * 50, [None, None])
    alone: list[str | None] = [f"word{n}" for n in range(300)]
    assert topics_of(alone, alone[:1]) == ([None] * 300, [None])
