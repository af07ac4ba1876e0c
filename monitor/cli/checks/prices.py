"""Checks the price table, from which costs are computed."""

from monitor.cli.checks.line import Line, fail, ok
from monitor.config.prices import read_prices
from monitor.config.tree import Config
from monitor.errors import ConfigError

CHECK = "prices"


def check_prices(config: Config) -> Line:
    path = config.ingest.prices_file
    try:
        table = read_prices(path)
    except ConfigError as error:
        return fail(CHECK, str(error))
    source = "shipped with driftd; ingest.prices_file replaces it" if path is None else f"from {path}"
    return ok(CHECK, f"version {table.version} with {len(table.models)} models, {source}")
