from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.routing import Route

from monitor.api import openapi
from tests.api.house import House, open_house, tokens_for_roles


@pytest.fixture(scope="session", autouse=True)
def _a_document_is_built_once() -> Iterator[None]:
    """Build the document of the same routes once: it takes two seconds, and many tests read its paths."""
    documents: dict[object, dict[str, Any]] = {}

    def built(app: FastAPI) -> dict[str, Any]:
        key = app.version, tuple((route.path, route.name) for route in app.routes if isinstance(route, Route))
        if key not in documents:
            documents[key] = original(app)
        return documents[key]

    original = openapi.built
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openapi, "built", built)
        yield


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A test application without tokens: every role except `reveal` is granted."""
    with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    """A test application with a token for each role."""
    with open_house(tmp_path, tokens=tokens_for_roles()) as opened:
        yield opened
