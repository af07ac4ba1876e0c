"""Whether the optional package of traffic reports is installed."""

from importlib.util import find_spec

PACKAGE = "evidently"
REQUIREMENT = "evidently>=0.7.23,<0.8"  # the extra `evidently` of pyproject.toml


def missing_package(package: str = PACKAGE) -> str | None:
    """Return what is missing and how to install it; None if traffic reports can be made.

    The package is searched and not imported: an import takes seconds.
    """
    if find_spec(package) is not None:
        return None
    return (
        f"the package {package} is not installed, so there are no traffic reports; install driftd with the extra "
        f"`{package}` (pip install '{REQUIREMENT}', with pipx: pipx inject driftd '{REQUIREMENT}'), "
        "or set traffic_reports.enabled to false"
    )
