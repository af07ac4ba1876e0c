"""The sandbox of the machine."""

import os

import pytest

from replay.sandbox.base import SandboxError
from replay.sandbox.bubblewrap import require_sandbox


@pytest.fixture
def sandbox() -> None:
    """Skip the test on a machine without a sandbox, and fail it in CI."""
    try:
        require_sandbox()
    except SandboxError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs the sandbox: {error}")
        pytest.skip(str(error))
