from monitor.ingest.conventions.attribute_cache import MAX_CHARS, MAX_KEPT, MAX_NAMES, cached_by_names


def test_the_same_names_are_decided_once_whatever_their_values() -> None:
    asked: list[tuple[str, ...]] = []
    decided = cached_by_names(lambda names: asked.append(names) or len(names))  # type: ignore[func-returns-value]
    assert [decided({"a": 1, "b": 2}), decided({"a": 3, "b": None}), decided({"b": 1, "a": 1}), decided({})] == [
        2,
        2,
        2,
        0,
    ]
    assert asked == [("a", "b"), ("b", "a"), ()]


def test_names_that_are_many_or_long_are_decided_and_not_kept() -> None:
    for names in ({str(i): 0 for i in range(MAX_NAMES + 1)}, {"x" * (MAX_CHARS + 1): 0}):
        asked: list[int] = []
        decided = cached_by_names(lambda found, asked=asked: asked.append(len(found)))  # type: ignore[misc]
        decided(names)
        decided(names)
        assert asked == [len(names)] * 2


def test_a_sender_that_invents_names_clears_the_cache() -> None:
    asked: list[tuple[str, ...]] = []
    decided = cached_by_names(lambda names: asked.append(names) or names)  # type: ignore[func-returns-value]
    for i in range(MAX_KEPT + 1):
        assert decided({str(i): 0}) == (str(i),)
    decided({"0": 0})
    assert len(asked) == MAX_KEPT + 2
