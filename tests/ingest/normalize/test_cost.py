from pathlib import Path

import pytest
from msgspec.structs import replace

from monitor.config.prices import read_prices
from monitor.domain.interaction import CostSource, Interaction
from monitor.domain.prices import Price, PriceTable, Rates
from monitor.errors import ConfigError
from monitor.ingest.normalize.cost import PriceLookup
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from tests.ingest.build import alone, interaction
from tests.ingest.normalize.test_normalizer import RULES
from tests.ingest.pipeline import NOTHING_REDACTED, no_run, nothing_sealed

SHIPPED = PriceLookup(read_prices(None))


def price(usd: float) -> Price:
    return Price(rates=Rates(input=usd, cached_input=None, output=usd))


def told(**fields: object) -> Interaction:
    """Return a call with a million input tokens and a million output tokens."""
    known = {"response_model": "m", "input_tokens": 1_000_000, "output_tokens": 1_000_000}
    return replace(interaction(), **(known | fields))


def completed(item: Interaction, prices: PriceLookup) -> Interaction:
    step = Normalizer(
        rules=RULES,
        identify=lambda _name, _item: None,
        echo=EchoFilter(known_run=no_run, sealed=nothing_sealed),
        redactor=NOTHING_REDACTED,
        prices=prices,
    )
    return alone(step, item)


@pytest.mark.parametrize(
    ("model", "same_as"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o", "gpt-4o"),
        ("GPT-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4-0613", "gpt-4"),
        ("models/gemini-2.5-flash-001", "gemini-2.5-flash"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ],
)
def test_a_dated_model_and_one_of_another_provider_have_the_price_of_the_model(model: str, same_as: str) -> None:
    assert SHIPPED.of(model) is SHIPPED.of(same_as)
    assert SHIPPED.of(model) is not None


def test_a_snapshot_with_a_price_of_its_own_has_that_price() -> None:
    assert SHIPPED.of("gpt-4o-2024-05-13") != SHIPPED.of("gpt-4o")
    assert SHIPPED.of("azure/gpt-4o-2024-05-13") is SHIPPED.of("gpt-4o-2024-05-13")


@pytest.mark.parametrize("model", ["gpt-4o-audio-preview", "gpt-5-pro", "ft:gpt-4o:acme", "llama", "", "-0613", "*"])
def test_a_model_that_is_not_in_the_table_has_no_cost(model: str) -> None:
    assert SHIPPED.of(model) is None
    item = completed(told(response_model=model, request_model=None), SHIPPED)
    assert (item.cost_usd, item.cost_source, item.price_table) == (None, None, None)


def test_an_exact_name_wins_over_the_longest_prefix() -> None:
    table = PriceTable(version="1", models={"ours-*": price(1), "ours-big*": price(2), "ours-big-1": price(3)})
    prices = PriceLookup(table)
    found = [prices.of(model) for model in ("ours-small", "ours-big-2", "ours-big-1", "x/ours-big-1-2026-01-01")]
    assert [one and one.rates.input for one in found] == [1, 2, 3, 3]


def test_a_computed_cost_is_marked_and_names_its_table() -> None:
    item = completed(told(response_model="gpt-4.1-2025-04-14"), SHIPPED)
    assert (item.cost_usd, item.cost_source) == (10.0, CostSource.COMPUTED)
    assert item.price_table == SHIPPED.version


def test_a_reported_cost_of_zero_is_kept() -> None:
    item = completed(told(response_model="gpt-4.1", cost_usd=0.0, cost_source=CostSource.EMITTED), SHIPPED)
    assert (item.cost_usd, item.cost_source, item.price_table) == (0.0, CostSource.EMITTED, None)


def test_the_requested_model_gives_the_price_when_the_response_model_is_unknown() -> None:
    assert completed(told(response_model="mystery", request_model="o3"), SHIPPED).cost_usd == 10.0
    assert completed(told(response_model=None, request_model="o3"), SHIPPED).cost_usd == 10.0


@pytest.mark.parametrize("tokens", [{"input_tokens": None}, {"output_tokens": None}])
def test_without_both_counts_there_is_no_cost(tokens: dict[str, None]) -> None:
    assert completed(told(response_model="o3", **tokens), SHIPPED).cost_usd is None


def test_cached_tokens_are_part_of_the_input_and_cheaper_where_that_is_known() -> None:
    half = {"input_tokens": 1_000_000, "cached_input_tokens": 500_000, "output_tokens": 0}
    assert completed(told(response_model="gpt-4.1", **half), SHIPPED).cost_usd == 1.25
    assert completed(told(response_model="gpt-4", **half), SHIPPED).cost_usd == 30.0
    too_many = {**half, "cached_input_tokens": 2_000_000}
    assert completed(told(response_model="gpt-4.1", **too_many), SHIPPED).cost_usd == 0.5


def test_a_long_prompt_has_its_own_rates_for_every_token() -> None:
    reported = {"response_model": "gemini-2.5-pro", "output_tokens": 100_000}
    assert completed(told(**reported, input_tokens=200_000), SHIPPED).cost_usd == pytest.approx(0.25 + 1.0)
    assert completed(told(**reported, input_tokens=200_001), SHIPPED).cost_usd == pytest.approx(0.5000025 + 1.5)


def test_every_shipped_price_is_a_price() -> None:
    table = read_prices(None)
    assert len(table.models) > 40
    for name, found in table.models.items():
        for rates in filter(None, (found.rates, found.long)):
            assert 0 < (rates.cached_input or rates.input) <= rates.input < rates.output <= 150, name
        assert PriceLookup(table).of(name) is found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("models: {a: {input: 1, output: 2}}", "version: the key is required"),
        ("version: '1'\nmodels: {}", "models: needs at least 1 entry"),
        ("version: '1'\nmodels: {a: {input: 1}}", "models.a.output: the key is required"),
        ("version: '1'\nmodels: {a: {input: -1, output: 2}}", "models.a.input: must be at least 0"),
        (
            "version: '1'\nmodels: {a: {input: 1, output: 2, cache: 3}}",
            "models.a.cache: the key is unknown; a model has",
        ),
        ("version: '1'\nversion: '2'", "line 2, column 1: key 'version' is given twice"),
    ],
)
def test_an_invalid_price_table_is_reported_with_file_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_prices(path)
    assert f"ingest.prices_file: {path}" in str(error.value)
    assert sentence in str(error.value)


def test_a_missing_price_table_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.yaml cannot be read: No such file"):
        read_prices(tmp_path / "none.yaml")
