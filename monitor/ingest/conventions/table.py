"""Every convention driftd reads, in the order they are asked: the first that claims a record reads it.

A convention that is a dialect of another stands before it. Adding one is a file beside `genai.py` and a line here.
"""

from collections.abc import Sequence

from monitor.ingest.conventions.base import Convention
from monitor.ingest.conventions.genai import GenAI

CONVENTIONS: Sequence[Convention] = (GenAI(),)
