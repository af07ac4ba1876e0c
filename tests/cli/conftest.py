from collections.abc import Callable, Iterator

import pytest

from monitor.cli.main import main
from tests.cli.daemon import Daemon, running_daemon
from tests.cli.result import Result

Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: `run("sets", "list")`."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return Result(code=left.value.code, out=out, err=err)

    return call


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with running_daemon() as found:
        yield found
