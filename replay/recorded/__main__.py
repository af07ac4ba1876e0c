"""`python -m replay.recorded --data FILE --port N`: the recorded endpoint as a process, until SIGINT or SIGTERM."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from replay.errors import ReplayError
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint

USAGE_ERROR = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print one sentence instead of the usage and a sentence."""
        self.exit(USAGE_ERROR, f"{self.prog}: {message}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        asyncio.run(_serve(_endpoint(options)))
    except ReplayError as error:
        sys.stderr.write(f"replay.recorded: {error}\n")
        return USAGE_ERROR
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="replay.recorded", description="Serve recorded answers in every HTTP protocol of the targets."
    )
    parser.add_argument("--data", type=Path, required=True, help="recorded answers, JSON Lines, plain or gzip")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0, the default, selects a free one")
    parser.add_argument("--model", help="model name of the requests (default: the common part of the snapshots' names)")
    parser.add_argument("--snapshot", help="snapshot to serve first (default: the first by name)")
    parser.add_argument(
        "--resample", type=float, default=0.0, help="share of answers that are taken from another question"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the resampling (%(default)s)")
    parser.add_argument("--latency-scale", type=float, default=0.0, help="factor of the recorded latency to wait (0)")
    parser.add_argument("--api-key-file", type=Path, help="file with the API key that every request must have")
    return parser


def _endpoint(options: argparse.Namespace) -> RecordedEndpoint:
    return RecordedEndpoint(
        load_recorded(options.data),
        snapshot=options.snapshot,
        resample=options.resample,
        seed=options.seed,
        model=options.model,
        latency_scale=options.latency_scale,
        api_key=_key(options.api_key_file),
        host=options.host,
        port=options.port,
    )


def _key(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        key = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"{path}: the API key cannot be read: {error}") from None
    if not key:
        raise ReplayError(f"{path}: has no API key; write one line with the key")
    return key


async def _serve(endpoint: RecordedEndpoint) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with endpoint.listening() as address:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()  # the caller may wait for this line on a pipe
        await stop.wait()


if __name__ == "__main__":
    sys.exit(main())
