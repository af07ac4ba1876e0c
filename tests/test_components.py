from pathlib import Path, PurePosixPath

import pytest

from tests.components import COMPONENTS, NIGHTLY, can_match, is_component, is_nightly


@pytest.mark.parametrize("path", COMPONENTS)
def test_every_path_of_the_table_exists(path: str) -> None:
    assert (Path(__file__).parent / path).exists()


@pytest.mark.parametrize("path", NIGHTLY)
def test_every_nightly_path_exists_and_has_component_tests(path: str) -> None:
    found = Path(__file__).parent / path
    assert found.exists()
    assert is_component(PurePosixPath(path))
    if found.is_file():  # the words of a parameter are not in the text of its file
        text = found.read_text()
        assert [word for word in NIGHTLY[path] if not word.startswith("[") and word not in text] == []


def test_a_nightly_test_is_selected_by_its_file_or_by_its_name() -> None:
    assert is_nightly(PurePosixPath("soak/test_soak.py"), "test_anything")
    assert is_nightly(PurePosixPath("kills/test_kills.py"), "test_a_kill_in_a_compaction")
    assert not is_nightly(PurePosixPath("kills/test_kills.py"), "test_an_answer_is_committed")
    assert not is_nightly(PurePosixPath("cli/test_serve.py"), "test_anything")


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


@pytest.mark.parametrize(
    ("path", "expression", "expected"),
    [
        ("cli/test_check.py", "", True),
        ("cli/test_check.py", "not component", True),
        ("cli/test_check.py", "component", False),
        ("cli/test_check.py", "component or not component", True),
        ("cli/test_check.py", "component or per_change", True),
        ("cli/test_serve.py", "not component", False),
        ("cli/test_serve.py", "component and not nightly", True),
        ("cli/test_serve.py", "component and nightly", False),
        ("kills/test_kills.py", "component and not nightly", True),
        ("kills/test_kills.py", "component and nightly", True),
        ("soak/test_soak.py", "component and not nightly", False),
        ("soak/test_soak.py", "component", True),
    ],
)
def test_a_file_is_imported_only_for_tests_that_the_expression_can_select(
    path: str, expression: str, *, expected: bool
) -> None:
    assert can_match(PurePosixPath(path), expression) == expected
