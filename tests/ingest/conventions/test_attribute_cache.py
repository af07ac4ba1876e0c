from monitor.ingest.conventions.attribute_cache import MAX_CHARS, MAX_KEPT, MAX_NAMES, cached_by_names


def test_equal_names_are_decided_once_for_any_values() -> None:
    requested: list[tuple[str, ...]] = []
    decided = cached_by_names(lambda names: requested.append(names) or len(names))  # type: ignore[func-returns-value]
    assert [decided({"a": 1, "b": 2}), decided({"a": 3, "b": None}), decided({"b": 1, "a": 1}), decided({})] == [
        2,
        2,
        2,
        0,
    ]
    assert requested == [("a", "b"), ("b", "a"), ()]


def test_many_or_long_names_are_not_cached() -> None:
    for names in ({str(i): 0 for i in range(MAX_NAMES + 1)}, {"x" * (MAX_CHARS + 1): 0}):
        requested: list[int] = []
        decided = cached_by_names(lambda found, requested=requested: requested.append(len(found)))  # type: ignore[misc]
        decided(names)
        decided(names)
        assert requested == [len(names)] * 2


def test_a_sender_that_invents_names_clears_the_cache() -> None:
    requested: list[tuple[str, ...]] = []
    decided = cached_by_names(lambda names: requested.append(names) or names)  # type: ignore[func-returns-value]
    for i in range(MAX_KEPT + 1):
        assert decided({str(i): 0}) == (str(i),)
    decided({"0": 0})
    assert len(requested) == MAX_KEPT + 2
