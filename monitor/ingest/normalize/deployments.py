"""Assign records to deployments, and find the category attribute of each deployment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from monitor.domain.deployment_limit import default_within
from monitor.domain.feedback import ScoreRule

DEPLOYMENT = "driftd.deployment"
CATEGORY = "driftd.category"
UNKNOWN = "unknown"
NO_ATTRIBUTES: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRules:
    """A part of the configuration. `by_service` maps the service names of all deployments to their deployment."""

    by_service: Mapping[str, str] = field(default_factory=dict)
    category_attributes: Mapping[str, str] = field(default_factory=dict)  # by deployment
    default_deployment: str | None = None
    scores: Mapping[str, ScoreRule] = field(default_factory=dict)  # by the name of a score that is feedback

    def of_span(
        self, own: Mapping[str, object], resource: Mapping[str, object], inherited: Mapping[str, object] = NO_ATTRIBUTES
    ) -> str:
        """Return the deployment of a span.

        The span, an ancestor or the resource may name it; else the service name decides; else it is the service itself.
        """
        named = own.get(DEPLOYMENT) or (inherited and inherited.get(DEPLOYMENT)) or resource.get(DEPLOYMENT)
        if isinstance(named, str):
            return named
        service = resource.get("service.name")
        if isinstance(service, str) and service:
            return self.by_service.get(service, service)
        return self.default

    @property
    def default(self) -> str:
        """Return the deployment of a record that names none. The limit of the sender counts."""
        return default_within(self.default_deployment or UNKNOWN)

    def category_attribute(self, deployment: str) -> str:
        return self.category_attributes.get(deployment, CATEGORY)
