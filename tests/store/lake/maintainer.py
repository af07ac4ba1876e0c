"""Maintain the files of a lake until the process is killed.

`python -m tests.store.lake.maintainer URL DATA LONGEST_S`
"""

import sys
from datetime import timedelta

from monitor.clock import SystemClock
from monitor.errors import StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.lake.maintain import maintain_files
from tests.store.lake.lakes import place


def main(url: str, data: str, longest_s: float) -> None:
    clock = SystemClock()
    store = Store.open(url, data=place(data), clock=clock)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        try:
            maintain_files(store, None, clock.now(), longest=timedelta(seconds=longest_s))
        except StoreUnavailable:
            continue


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
