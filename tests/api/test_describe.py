"""docs/api.md is generated from the OpenAPI document and is current."""

from pathlib import Path

from monitor.api import describe
from tests.api.house import House

from .test_openapi import operations

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_page_is_current() -> None:
    assert describe.main(["--check", "--folder", str(PAGE.parent)]) == 0, "run python -m monitor.api.describe"


def test_every_operation_and_every_model_of_a_running_daemon_is_on_the_page(house: House) -> None:
    document, page = house.get("/openapi.json").json(), PAGE.read_text(encoding="utf-8")
    for path, method, _ in operations(document):
        assert f"### {method.upper()} {path}\n" in page
    for model in document["components"]["schemas"]:
        assert f"### {model}\n" in page
