"""Import a file into a lake: `python -m tests.store.lake.imports.worker URL DATA FILE BATCH_ROWS`.

It prints a line when it begins to store rows. Its lease expires after 3 s.
"""

import sys
from pathlib import Path

from monitor.clock import SystemClock
from monitor.store.lake.imports.copy import ImportProgress, import_file
from tests.store.lake.lakes import place


def main(url: str, data: str, file: str, batch_rows: int) -> int:
    began = False

    def progress(_: ImportProgress) -> None:
        nonlocal began
        if not began:
            began = True
            sys.stdout.write("stores\n")
            sys.stdout.flush()

    done = import_file(
        url,
        place(data),
        Path(file),
        clock=SystemClock(),
        memory_limit_mb=512,
        threads=1,
        progress=progress,
        batch_rows=batch_rows,
        expires_s=3.0,
    )
    return 0 if done.equal else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
