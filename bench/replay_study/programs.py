"""The programs: how each is run, with which code, and where it says how many of its cases passed."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bench.drift_study.ledger import code_hash
from bench.drift_study.rivals.environment import QUIET, cache_folder, installed_python
from bench.replay_study.jobs import OURS, REFERENCES, RIVALS, Job
from bench.replay_study.node import installed_promptfoo
from bench.replay_study.process import Command, CommandFailedError
from bench.replay_study.questions import question, right_answer, write_cases, write_questions

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent
# A program that means to reach anything but loopback is sent to a port where nobody listens.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {
    **QUIET,
    "HTTP_PROXY": NOWHERE,
    "HTTPS_PROXY": NOWHERE,
    "NO_PROXY": "127.0.0.1,localhost",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "OPENAI_API_KEY": "none",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """`prepare` writes what it reads into a folder of its own and gives the command; that is not measured."""

    name: str
    prepare: Callable[[Path, Job, str], Command]
    passed: Callable[[str], int]
    version: Callable[[], str]
    code: Callable[[], str]


@cache
def programs() -> Mapping[str, Program]:
    return {
        OURS: Program(
            name=OURS, prepare=_driftd, passed=lambda said: _last_object(said)["passed"], version=_ours, code=_our_code
        ),
        **{name: _reference(name) for name in REFERENCES},
        **{name: _rival(name) for name in RIVALS if name != "promptfoo"},
        "promptfoo": Program(
            name="promptfoo",
            prepare=_promptfoo,
            passed=_promptfoo_passed,
            version=lambda: json.loads((FOLDER / "promptfoo" / "package.json").read_text())["dependencies"][
                "promptfoo"
            ],
            code=lambda: code_hash([], (FOLDER / "promptfoo" / "package-lock.json").read_text()),
        ),
    }


def _driftd(folder: Path, job: Job, base_url: str) -> Command:
    """`driftd replay run` over a set that was just imported into a new file."""
    write_cases(folder / "cases.jsonl", job.cases)
    (folder / "driftd.yaml").write_text(_CONFIG.format(port=_free_port(), base_url=base_url, at_once=job.concurrency))
    driftd, env = str(Path(sys.executable).with_name("driftd")), _environment(folder)
    imported = subprocess.run(
        [driftd, "sets", "import", "sums", "cases.jsonl"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if imported.returncode != 0:
        raise CommandFailedError(f"the set cannot be imported: {imported.stderr.strip()}")
    return Command(argv=[driftd, "replay", "run", "bench", "sums", "--json"], folder=folder, env=env)


_CONFIG = """\
api: {{port: {port}}}
deployments: {{bench: {{target: mock, sets: [sums]}}}}
targets: {{mock: {{base_url: "{base_url}", model: mock-model, concurrency: {at_once}}}}}
sets: {{sums: {{kind: dynamic, scorers: [{{kind: exact}}]}}}}
"""


def _reference(name: str) -> Program:
    script = FOLDER / "rivals" / f"worker_{name.replace('-', '_')}.py"
    return _worker(name, script, python=lambda: Path(sys.executable), code=lambda: code_hash([script], version(name)))


def _rival(name: str) -> Program:
    script, lock = FOLDER / "rivals" / f"worker_{name.replace('-', '_')}.py", FOLDER / f"requirements-{name}.lock"
    return _worker(
        name,
        script,
        python=lambda: installed_python(name, lock=lock, cache=cache_folder()),
        code=lambda: code_hash([script], lock.read_text(encoding="utf-8")),
        locked=lock,
    )


def _worker(
    name: str, script: Path, *, python: Callable[[], Path], code: Callable[[], str], locked: Path | None = None
) -> Program:
    """A script of ours around the program, isolated so that it finds no module of ours."""

    def prepare(folder: Path, job: Job, base_url: str) -> Command:
        questions = write_questions(folder / "questions.jsonl", job.cases)
        argv = [str(python()), "-I", str(script), str(questions), base_url, str(job.concurrency)]
        return Command(argv=argv, folder=folder, env=_environment(folder))

    return Program(
        name=name,
        prepare=prepare,
        passed=lambda said: int(json.loads(said.strip().splitlines()[-1])["passed"]),
        version=lambda: version(name) if locked is None else locked_version(locked.read_text(encoding="utf-8"), name),
        code=code,
    )


def _promptfoo(folder: Path, job: Job, base_url: str) -> Command:
    promptfoo = installed_promptfoo()
    (folder / "tests.json").write_text(json.dumps([_promptfoo_test(number) for number in range(1, job.cases + 1)]))
    (folder / "promptfooconfig.yaml").write_text(_PROMPTFOO.format(base_url=base_url))
    argv = [
        str(promptfoo.node),
        str(promptfoo.script),
        "eval",
        "-c",
        "promptfooconfig.yaml",
        "-j",
        str(job.concurrency),
    ]
    return Command(
        argv=[*argv, "--no-cache", "--no-table", "--no-progress-bar", "--no-share"],
        folder=folder,
        env=_environment(folder),
        left_with=frozenset({0, 100}),  # 100: a case failed
    )


_PROMPTFOO = """\
prompts: ["{{{{input}}}}"]
providers: [{{id: "openai:chat:mock-model", config: {{apiBaseUrl: "{base_url}"}}}}]
tests: file://tests.json
"""


def _promptfoo_test(number: int) -> dict[str, object]:
    return {"vars": {"input": question(number)}, "assert": [{"type": "equals", "value": right_answer(number)}]}


def _promptfoo_passed(said: str) -> int:
    r"""From its summary.

    >>> _promptfoo_passed("Results:\n  ✓ 1,800 passed (90.00%)\n  ✗ 200 failed (10.00%)")
    1800
    """
    found = re.search(r"([\d,]+) passed", said)
    return int(found[1].replace(",", "")) if found else 0


def locked_version(lock: str, name: str) -> str:
    """The version a lock file names.

    >>> locked_version("httpx==0.28.1 --hash=...", "httpx")
    '0.28.1'
    """
    found = re.search(rf"^{re.escape(name)}==(\S+)", lock, flags=re.MULTILINE)
    return found[1] if found else "unknown"


def _ours() -> str:
    return version("driftd")


def _our_code() -> str:
    """Of everything the command imports."""
    return code_hash([*(ROOT / "replay").rglob("*.py"), *(ROOT / "monitor").rglob("*.py")], version("aiohttp"))


def _last_object(said: str) -> dict[str, int]:
    document: dict[str, int] = json.loads(said)
    return document


def _environment(folder: Path) -> dict[str, str]:
    """Little of ours, and a home of its own: a program finds no cache and no settings of an earlier run."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, **OFFLINE, "HOME": str(folder), "TMPDIR": str(folder)}


def _free_port() -> int:
    """Where no daemon listens: the command opens the file itself."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
