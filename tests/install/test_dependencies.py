"""pyproject.toml declares every package that driftd imports, with bounds that the lock meets."""

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from monitor.alerting.notify import apprise
from monitor.cli.lake.on_ray import cluster
from monitor.jobs.traffic_reports import available

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DIRECT = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
EXTRAS = {
    name: [Requirement(text) for text in texts]
    for name, texts in PROJECT["project"]["optional-dependencies"].items()
    if name != "all"
}
DECLARED = [*DIRECT, *(each for extra in EXTRAS.values() for each in extra)]
PACKAGES = ("monitor", "replay", "dashboards")
WITHOUT_UPPER_BOUND = {"cryptography"}  # its security fixes come as new major versions
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^ ;]+)", re.MULTILINE)
LOCKED = {
    name: version
    for lock in ("requirements-dev.lock", "requirements.lock", "requirements-ray.lock")
    for name, version in _PIN.findall((ROOT / lock).read_text(encoding="utf-8"))
}


def imported() -> set[str]:
    """Return the modules of other projects that the three packages import, with their whole names."""
    found = set[str]()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module)
    return {name for name in found if name.split(".")[0] not in {*PACKAGES, *sys.stdlib_module_names}}


def distributions_of(module: str) -> set[str]:
    """Return the names of the distributions that can contain a module. Several contain a part of `google`."""
    if module.startswith("google.rpc"):
        return {"googleapis-common-protos"}
    if module.startswith("google.protobuf"):
        return {"protobuf"}
    return {canonicalize_name(name) for name in installed().get(module.split(".", maxsplit=1)[0], [])}


@cache
def installed() -> Mapping[str, list[str]]:
    """Return the distributions of each module. One search reads the list of files of every installed package."""
    return packages_distributions()


def test_every_imported_package_is_declared() -> None:
    declared = {canonicalize_name(each.name) for each in DECLARED} | {"pydantic-core"}  # a part of pydantic
    modules = imported()
    assert len(modules) > 50
    assert {module for module in modules if not distributions_of(module) & declared} == set()


@pytest.mark.parametrize("requirement", DECLARED, ids=lambda each: each.name)
def test_a_requirement_has_bounds_that_the_lock_meets(requirement: Requirement) -> None:
    operators = {each.operator for each in requirement.specifier}
    assert ">=" in operators
    assert "<" in operators or requirement.name in WITHOUT_UPPER_BOUND
    assert requirement.specifier.contains(Version(LOCKED[canonicalize_name(requirement.name)]), prereleases=True)


def test_the_extra_all_has_every_other_extra_that_needs_no_cluster() -> None:
    [everything] = PROJECT["project"]["optional-dependencies"]["all"]
    assert Requirement(everything).extras == set(EXTRAS) - {"ray"}


def test_the_message_about_a_missing_package_names_the_requirement_of_its_extra() -> None:
    assert EXTRAS["evidently"] == [Requirement(available.REQUIREMENT)]
    [requirement] = EXTRAS["apprise"]
    assert requirement == Requirement(apprise.INSTALL.split("'")[1])
    assert EXTRAS["ray"] == [Requirement(cluster.INSTALL.split("'")[1])]
