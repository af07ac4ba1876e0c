"""The program in the reply passes the tests of the case."""

import asyncio
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

import replay.sandbox
from replay.sandbox.base import RemoteSandbox, SandboxError
from replay.sandbox.bubblewrap import run_python
from replay.sandbox.limits import Ending, Executed, SandboxLimits
from replay.scorers.base import FORMAT, WRONG_ANSWER, Scorer, Stamped
from replay.scorers.options import Options
from replay.types import Case, Reply, Score

_BLOCK = re.compile(
    r"^(?P<indent>[ \t]*)```[ \t]*(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?)^[ \t]*```", re.MULTILINE | re.DOTALL
)
_PYTHON = frozenset({"", "python", "python3", "py"})
CODE_ERROR, TIMEOUT, LIMIT = "code_error", "timeout", "resource_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The input of the driver for one reply, the token of its report, and the number of tests."""

    stdin: str
    token: str
    tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(Stamped):
    """Options: `prefix`, the name of the variable of the case with code before that of the reply (none), `timeout_s`
    (10), `memory_mb` (256), `processes` (8), `failure_category` (wrong_answer) for a failed test, `error_category`
    (code_error) for code that does not run, `timeout_category` (timeout), `limit_category` (resource_limit),
    `format_category` (format) for a reply without code.

    The code is the Python blocks of the reply, or the whole reply without blocks. Each text of `tests` runs after it in
    one process, in a sandbox (setting `sandbox`) without network and files. The value is the share of passed tests;
    only a reply that passes all of them passes. A solution that searches the memory of its process can fake a pass.
    """

    expectations: ClassVar[frozenset[str]] = frozenset({"tests"})
    slow: ClassVar[bool] = True
    prefix: str | None
    limits: SandboxLimits
    failure_category: str
    error_category: str
    timeout_category: str
    limit_category: str
    format_category: str

    @classmethod
    def from_options(cls, options: Options) -> Self:
        prefix = options.text("prefix", None)
        seconds, memory_mb = options.amount("timeout_s", 10.0), options.amount("memory_mb", 256.0)
        processes = options.amount("processes", 8.0)
        if seconds <= 0 or memory_mb < 32 or processes < 1:
            raise options.error("timeout_s must be above 0, memory_mb at least 32 and processes at least 1")
        categories = {
            "failure_category": options.failure_category("failure_category", WRONG_ANSWER),
            "error_category": options.failure_category("error_category", CODE_ERROR),
            "timeout_category": options.failure_category("timeout_category", TIMEOUT),
            "limit_category": options.failure_category("limit_category", LIMIT),
            "format_category": options.failure_category("format_category", FORMAT),
        }
        limits = SandboxLimits(
            seconds=seconds, cpu_seconds=int(seconds) + 1, memory_mb=int(memory_mb), processes=int(processes)
        )
        return cls(name=options.name, version=options.version(semantics=1), prefix=prefix, limits=limits, **categories)

    def probe(self, case: Case) -> Score:
        """Return an unscored verdict for a case that no reply can pass or fail, without running a program."""
        if any(test.strip() for test in case.tests):
            return self.passed("the case has tests")
        return self.unscored("the case has no tests; add them or use another scorer")

    def score(self, case: Case, reply: Reply) -> Score:
        order = self.order(case, reply)
        if isinstance(order, Score):
            return order
        try:
            executed = run_python(driver(), self.limits, stdin=order.stdin)
        except SandboxError as error:
            return self.unscored(str(error))
        return self.verdict(executed, order)

    def order(self, case: Case, reply: Reply) -> Order | Score:
        """Return what the sandbox runs; the score of a reply for which it runs nothing."""
        nothing = self.without_reply(reply)
        if nothing is None and (probed := self.probe(case)).value is None:
            nothing = probed
        if nothing:
            return nothing
        tests = [test for test in case.tests if test.strip()]
        code = code_of(reply.text)
        if not code.strip():
            return self.failed(self.format_category, "the reply has no Python code")
        before = str(case.variables.get(self.prefix, "")) if self.prefix else ""
        token = secrets.token_hex(16)
        stdin = json.dumps({"solution": before + code, "tests": tests, "token": token})
        return Order(stdin=stdin, token=token, tests=len(tests))

    def verdict(self, executed: Executed, order: Order) -> Score:
        """Return the score of a program that ended."""
        if executed.ending is Ending.TIMEOUT:
            return self.failed(self.timeout_category, f"the program runs longer than {self.limits.seconds:g} s")
        if executed.ending is Ending.OUTPUT:
            return self.failed(self.limit_category, f"the program prints more than {self.limits.output_kb} kB")
        if executed.ending is Ending.KILLED:
            return self.failed(self.limit_category, "a signal ended the program, such as the limit of CPU time")
        _, found, report = executed.stdout.rpartition(order.token)
        if not found:
            return self.failed(self.error_category, "the program ends the process before the tests are done")
        return self._from_report(json.loads(report), order.tests)

    def _from_report(self, report: dict[str, Any], tests: int) -> Score:
        if report["error"]:
            return self.failed(*self._category_of(report["error"][0], "the code", self.error_category))
        faults = [fault for fault in report["tests"] if fault]
        if not faults:
            return self.passed(f"{tests} of {tests} tests pass")
        passed = tests - len(faults)
        category, reason = self._category_of(faults[0][0], f"{passed} of {tests} tests pass; the first failure", "")
        return self.graded(passed / tests, reason, passes=False, failure_category=category or self.failure_category)

    def _category_of(self, exception: str, what: str, otherwise: str) -> tuple[str, str]:
        """Return the category and the reason. It names the exception, never its text: that may quote the case."""
        category = self.limit_category if exception == "MemoryError" else otherwise
        return category, f"{what} raises {exception}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCode(Code):
    """The scorer `code` with its programs in a sandbox on other machines: many replies wait for their programs at the
    same time. Equal options have the version of `Code`, because the limits and the driver are the same.
    """

    sandbox: RemoteSandbox

    @classmethod
    def of(cls, code: Code, sandbox: RemoteSandbox) -> Self:
        return cls(sandbox=sandbox, **{field.name: getattr(code, field.name) for field in fields(Code)})

    def score(self, case: Case, reply: Reply) -> Score:
        return asyncio.run(self._score(case, reply))

    async def ascores(self, case: Case, reply: Reply) -> tuple[Score, ...]:
        return (await self._score(case, reply),)

    async def _score(self, case: Case, reply: Reply) -> Score:
        order = self.order(case, reply)
        if isinstance(order, Score):
            return order
        try:
            running = self.sandbox.submit(driver(), self.limits, stdin=order.stdin)
            executed = await asyncio.wrap_future(running)
        except SandboxError as error:
            return self.unscored(str(error))
        return self.verdict(executed, order)


def sandbox_of(scorers: Iterable[Scorer]) -> str | None:
    """Return where the programs of replies run, a condition of their results; None without a scorer that runs any."""
    found = [scorer for scorer in scorers if isinstance(scorer, Code)]
    if not found:
        return None
    return "kubernetes" if any(isinstance(scorer, RemoteCode) for scorer in found) else "bubblewrap"


def code_of(text: str) -> str:
    r"""Return the Python blocks of the reply, joined; the whole reply if it has no block.

    >>> code_of("Sure:\n```python\nx = 1\n```\nRun it with:\n```bash\npython x.py\n```")
    'x = 1\n'
    """
    blocks = [*_BLOCK.finditer(text)]
    if not blocks:
        return text
    return "\n".join(_body(block) for block in blocks if block["language"].lower() in _PYTHON)


def _body(block: re.Match[str]) -> str:
    """Return the lines of the block without the indentation of its fence: it may be in a list."""
    indent = block["indent"]
    return "".join(line.removeprefix(indent) for line in block["body"].splitlines(keepends=True))


@cache
def driver() -> str:
    """Return the program that runs a solution and its tests."""
    return (Path(replay.sandbox.__file__).parent / "driver.py").read_text(encoding="utf-8")
