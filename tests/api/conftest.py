from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.house import House, open_house, tokens_for_roles


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
