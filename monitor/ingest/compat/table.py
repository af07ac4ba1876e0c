"""Every product whose clients are understood beside OTLP. Adding one is a file beside these and a line here."""

from collections.abc import Sequence

from starlette.routing import BaseRoute

from monitor.ingest.compat import langfuse, langsmith, mlflow, phoenix
from monitor.ingest.compat.endpoint import CompatEndpoint

PRODUCTS = (phoenix, langfuse, mlflow, langsmith)


def routes(door: CompatEndpoint) -> Sequence[BaseRoute]:
    return [route for product in PRODUCTS for route in product.routes(door)]
