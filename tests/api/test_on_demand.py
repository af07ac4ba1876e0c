"""The API inside a command: built one resource at a time, with the same behavior as the complete API."""

from monitor.api.app import ROUTES, build_api, noun_of
from tests.api.house import House


def paths_of(nouns: list[str], house: House) -> set[str]:
    return set(build_api(house.app.state.context, nouns).openapi()["paths"])


def test_each_path_is_answered_by_its_own_noun(house: House) -> None:
    for noun in ROUTES:
        found = paths_of([noun], house)
        assert found
        assert {noun_of(path) for path in found} == {noun}


def test_the_nouns_together_are_the_whole(house: House) -> None:
    assert set.union(*(paths_of([noun], house) for noun in ROUTES)) == paths_of(list(ROUTES), house)
