"""How many examples a property test tries, and how often a test kills a process: a quarter for each change, all of them
every night (`.ci/nightly`).
"""

import os
from typing import Final

ALL: Final = os.environ.get("PROPERTY_EXAMPLES") == "all"


def examples(number: int) -> int:
    """Return the number of examples to try, of those that the nightly run tries."""
    return number if ALL else max(1, number // 4)
