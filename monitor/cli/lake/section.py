"""The lake that the configuration names."""

import os
from pathlib import Path

from monitor.config.load import load
from monitor.config.store import StoreConfig
from monitor.config.tree import Config
from monitor.domain.object_store import LakeData
from monitor.errors import UsageError


def lake_config(path: Path) -> Config:
    """Return the configuration at `path`. Raises UsageError when it names no lake."""
    config = load(path, os.environ)
    if config.store.url is None:
        raise UsageError(f"{path} names no lake: set store.url and store.data (docs/scale.md)")
    return config


def place_of(section: StoreConfig) -> tuple[str, LakeData]:
    """Return the URL and the data of a lake."""
    return "" if section.url is None else section.url.get_secret_value(), section.files
