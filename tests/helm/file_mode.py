"""Digests of what the chart renders for one process with a file, as text.

`python -m tests.helm.file_mode` stores them: do so only when a change of the file mode is intended, and name it in
UPGRADING.md of the chart.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.helm.binary import find_helm, without_helm
from tests.helm.chart import CHART, FILE_EXAMPLES, KUBERNETES

STORED = Path(__file__).with_name("file_mode.json")
_OF_FILES = ("prometheusrule.yaml", "grafana.yaml")  # the files of the chart, which test_network.py compares
_VERSION = re.compile(r"helm\.sh/chart: driftd-[0-9.]+")
_SOURCE = re.compile(r"^# Source: driftd/templates/(\S+)\n", re.MULTILINE)
_NAME = re.compile(r"^kind: (\w+)\n(?:.*\n)*?  name: (\S+)\n", re.MULTILINE)


def digests(text: str) -> dict[str, str]:
    r"""Return the SHA-256 of each object of a manifest as text, by its kind and name, without the version of the chart.

    >>> sorted(digests("---\n# Source: driftd/templates/a.yaml\nkind: Pod\nmetadata:\n  name: x\n"))
    ['Pod/x']
    """
    found = {}
    for document in re.split(r"^---\n", _VERSION.sub("helm.sh/chart: driftd", text), flags=re.MULTILINE):
        source, named = _SOURCE.search(document), _NAME.search(document)
        if source and named and source[1] not in _OF_FILES:
            found[f"{named[1]}/{named[2]}"] = hashlib.sha256(document.encode()).hexdigest()
    return found


def rendered(helm: Path) -> dict[str, dict[str, str]]:
    """Return the digests of each example with a file."""
    found = {}
    for path in FILE_EXAMPLES:
        command: list[str | Path] = [helm, "template", "night", CHART, "--kube-version", KUBERNETES[-1]]
        result = subprocess.run([*command, "--values", path], capture_output=True, text=True, check=True)
        found[path.stem] = digests(result.stdout)
    return found


if __name__ == "__main__":
    text = json.dumps(rendered(find_helm(os.environ) or without_helm(os.environ)), indent=2)
    STORED.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.name} has the digests of {len(FILE_EXAMPLES)} examples\n")
