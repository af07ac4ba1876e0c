"""A replay in a process of its own, to be killed.

`python -m tests.replay.replay_process BASE_URL FILE CASES CONCURRENCY`
"""

import asyncio
import sys
from pathlib import Path

from replay.sinks import JsonlSink
from tests.replay.replays import plan, replay_over_http


def main() -> None:
    base_url, path, count, concurrency = sys.argv[1:]
    with JsonlSink(Path(path)) as sink:
        asyncio.run(replay_over_http(plan(int(count), concurrency=int(concurrency)), base_url, sink))


if __name__ == "__main__":
    main()
