"""The columns of production traffic that are monitored, and the distance of each.

The methods are set here and never left to a default: the default of Evidently changes from a p-value to a distance
above 1,000 rows, and a p-value falls as traffic grows.
"""

from dataclasses import dataclass
from enum import StrEnum


class Method(StrEnum):
    """The distances by their names in Evidently. 0 means equal; a larger value means a larger difference."""

    WASSERSTEIN = "wasserstein"  # of log2(1 + value), in standard deviations of the reference; unbounded
    JENSEN_SHANNON = "jensenshannon"  # square root of the divergence in nats; at most sqrt(ln 2) = 0.83


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficColumn:
    """One derived column. A number x is used as log2(1 + x), so that one answer of a megabyte does not dominate a
    night.
    """

    name: str
    method: Method
    meaning: str

    @property
    def is_number(self) -> bool:
        return self.method is Method.WASSERSTEIN


def _number(name: str, meaning: str) -> TrafficColumn:
    return TrafficColumn(name=name, method=Method.WASSERSTEIN, meaning=meaning)


def _label(name: str, meaning: str) -> TrafficColumn:
    return TrafficColumn(name=name, method=Method.JENSEN_SHANNON, meaning=meaning)


COLUMNS = (
    _number("input_chars", "characters of what the user wrote last; missing where the text is absent or cut"),
    _number("output_chars", "characters of the answer; an empty answer is 0, an absent one is missing"),
    _number("input_tokens", "tokens of the input, as the model reported them"),
    _number("output_tokens", "tokens of the answer, as the model reported them"),
    _number("latency_ms", "how long the call took"),
    _label("input_language", "language of what the user wrote, by script and stop words"),
    _label("output_language", "language of the answer, detected the same way"),
    _label(
        "topic", "cluster of the input, numbered by size in the reference; absent where the product names categories"
    ),
    _label("category", "category of the request, as the product reports it"),
    _label("refusal", "whether the answer begins like a refusal"),
    _label("status", "ok, error or incomplete"),
    _label("finish_reason", "why the model stopped"),
    _label("content", "whether the texts are present: full, partial, truncated or absent"),
    _label("correction", "whether feedback marks the answer as wrong"),
    _label("failure_category", "failure category that the feedback gives"),
)
BY_NAME = {column.name: column for column in COLUMNS}
