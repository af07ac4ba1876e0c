"""The result of a command."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    code: object
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)
