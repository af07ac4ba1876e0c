"""The commands that the sentences of the checks name exist."""

import re
import shlex
from pathlib import Path

import pytest

from monitor.alerting import checks
from monitor.jobs import alerting
from tests.docs.test_names import parse

FILES = sorted([*Path(*checks.__path__).glob("*.py"), *Path(*alerting.__path__).glob("*.py")])
NAMED = sorted({command for file in FILES for command in re.findall(r"`(driftd [^`]+)`", file.read_text("utf-8"))})


def test_the_sentences_name_commands() -> None:
    assert len(NAMED) >= 8


@pytest.mark.parametrize("command", NAMED)
def test_a_named_command_exists(command: str) -> None:
    parse(shlex.split(re.sub(r"\{[^}]*\}", "x", command))[1:], whole=False)
