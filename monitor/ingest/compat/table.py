"""The table of all products with compatible endpoints. To add one, add a module to this package and a line here."""

from collections.abc import Sequence

from starlette.routing import BaseRoute

from monitor.ingest.compat import langfuse, langsmith, mlflow, phoenix
from monitor.ingest.compat.endpoint import CompatEndpoint

PRODUCTS = (phoenix, langfuse, mlflow, langsmith)


def routes(endpoint: CompatEndpoint) -> Sequence[BaseRoute]:
    return [route for product in PRODUCTS for route in product.routes(endpoint)]
