from pathlib import Path, PurePosixPath

import pytest

from tests.components import COMPONENTS, is_component


@pytest.mark.parametrize("path", COMPONENTS)
def test_every_path_of_the_table_exists(path: str) -> None:
    assert (Path(__file__).parent / path).exists()


def test_a_folder_covers_its_files() -> None:
    assert is_component(PurePosixPath("app/test_erasing.py"))
    assert is_component(PurePosixPath("cli/test_serve.py"))
    assert not is_component(PurePosixPath("cli/test_check.py"))
    assert not is_component(PurePosixPath("conftest.py"))


def test_tests_of_the_table_have_the_marker(request: pytest.FixtureRequest) -> None:
    marked = {item.path.name for item in request.session.items if item.get_closest_marker("component")}
    assert "test_components.py" not in marked
    for item in request.session.items:
        if item.path.is_relative_to(here := Path(__file__).parent):
            expected = is_component(PurePosixPath(item.path.relative_to(here)))
            assert (item.get_closest_marker("component") is not None) == expected, item.nodeid
