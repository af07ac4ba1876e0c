"""The table of prices: the shipped one, or the file `ingest.prices_file`."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from monitor.config.strict_yaml import parse
from monitor.config.value_messages import in_words
from monitor.domain.prices import Price, PriceTable, Rates
from monitor.errors import ConfigError

SHIPPED = Path(__file__).with_name("prices.yaml")
Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class _Rates(_Part):
    input: Usd
    cached_input: Usd | None = None
    output: Usd


class _Long(_Rates):
    above: Annotated[int, Field(gt=0)]


class _Model(_Rates):
    long: _Long | None = None


class _File(_Part):
    version: Text
    sources: tuple[Text, ...] = ()
    models: Annotated[dict[Text, _Model], Field(min_length=1)]


def read_prices(path: Path | None) -> PriceTable:
    """Return the prices.

    Raises:     ConfigError: It has a sentence for each problem of the file.
    """
    where = f"ingest.prices_file: {path}"
    try:
        text = (path or SHIPPED).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{where} cannot be read: {reason}") from None
    try:
        read = _File.model_validate(parse(text, where))
    except ValidationError as error:
        raise ConfigError("\n".join(f"{where}: {problem}" for problem in _problems(error))) from None
    models = {name.lower(): _price(model) for name, model in read.models.items()}
    return PriceTable(version=read.version, models=models)


def _price(model: _Model) -> Price:
    if model.long is None:
        return Price(rates=_rates(model))
    return Price(rates=_rates(model), long=_rates(model.long), long_above=model.long.above)


def _rates(section: _Rates) -> Rates:
    return Rates(input=section.input, cached_input=section.cached_input, output=section.output)


def _problems(error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_input=False)
    return [f"{'.'.join(map(str, details['loc']))}: {_sentence(details)}" for details in found]


def _sentence(details: ErrorDetails) -> str:
    kind = details["type"]
    if kind == "extra_forbidden":
        return "the key is unknown; a model has input, cached_input, output (USD for a million tokens) and long"
    if kind == "missing":
        return "the key is required"
    return details["msg"].removeprefix("Value error, ") if kind == "value_error" else in_words(kind, details.get("ctx"))
