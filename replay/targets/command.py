"""A local program, one process for each call: the case as JSON on standard input, the answer as JSON on standard
output.

A process for each call isolates calls: memory or a crash of one does not affect another.
"""

import asyncio
import hashlib
import json
import os
import shlex
import shutil
import signal
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from replay.errors import CallError, TargetError
from replay.targets.answer_fields import document_of
from replay.targets.base import CallContext
from replay.targets.command_reply import read_reply
from replay.targets.conversation import ask_turns
from replay.targets.deployed_prompt import Prompt
from replay.targets.failure import ErrorClass, failed, one_line
from replay.targets.masking import mask_command
from replay.targets.price import cost_usd
from replay.targets.reply_limits import Allowance, check_length
from replay.targets.request_values import request_values
from replay.targets.settings import TargetSettings
from replay.types import Case, Reply, TargetConditions

MAX_STDERR_BYTES = 4096  # of the end of standard error
LEFT_S = 1.0
POLL_S = 0.005
INHERITED = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
)  # needed to start a program; no secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings(TargetSettings):
    """`command` is the program and its arguments; no shell interprets them. `env` is added to a minimal environment."""

    command: tuple[str, ...]
    folder: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    model: str = ""


class CommandTarget:
    """Runs one process for each call. Its whole process group is killed, so nothing outlives the call."""

    def __init__(self, settings: CommandSettings, *, monotonic: Callable[[], float] = time.perf_counter) -> None:
        if not settings.command or not settings.command[0]:
            raise TargetError("command has no program; write it as a list, like [python3, answer.py]")
        self._settings, self._prompt, self._monotonic = settings, Prompt(settings), monotonic
        self._slots = asyncio.Semaphore(settings.concurrency)
        self.conditions = _conditions(settings, self._prompt)

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        """Run the program once for each turn. Raise CallError with a class in ErrorClass."""
        system = self._prompt.render(case)

        async def ask(asked: Case) -> Reply:
            case_json = {**request_values(asked, system, sample, context), **context.headers()}
            sent_at = self._monotonic()
            output = await self._run((json.dumps(case_json, ensure_ascii=False) + "\n").encode(), context)
            latency_ms = (self._monotonic() - sent_at) * 1000
            if not output.strip():
                raise failed(ErrorClass.EMPTY_REPLY, "the program wrote no output")
            reply = read_reply(document_of(output), latency_ms)
            cost = cost_usd(reply, self._settings) if reply.cost_usd is None else reply.cost_usd
            return replace(reply, cost_usd=cost)

        async with self._slots:
            return check_length(await ask_turns(case, context, ask), self._settings)

    def turns_obstacle(self) -> None:
        """Return None: the input of the program has the whole conversation in `messages`."""

    async def check(self) -> None:
        """Check that the program exists, without running it."""
        program, folder = self._settings.command[0], self._settings.folder or Path()
        in_folder = folder / program if os.sep in program else None
        if shutil.which(str(in_folder or program), path=self._environment().get("PATH")) is None:
            raise failed(ErrorClass.CONNECTION, f"there is no program {program!r} to run")

    async def aclose(self) -> None:
        """Do nothing: no resource is open between calls."""

    def _environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(self._settings.env)

    async def _run(self, case_json: bytes, context: CallContext) -> bytes:
        """Return its output. The deadline, a cancellation and the end of the program kill its process group."""
        process, stderr_end = await self._start(context), bytearray()
        answer = asyncio.create_task(_answer_of(process, Allowance(self._settings.max_reply_bytes)))
        errors = asyncio.create_task(_keep_end(process, stderr_end))
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                written, code = await _finished(process, case_json, answer)
        except TimeoutError:
            why = f"no answer within {self._settings.timeout_s:g} s{self._quoted(stderr_end)}"
            raise failed(ErrorClass.TIMEOUT, why) from None
        finally:
            _kill_group(process)
            await _settled(process, answer, errors)
        if code != 0:
            ended = f"exit code {code}" if code > 0 else f"signal {signal.Signals(-code).name}"
            raise failed(ErrorClass.SERVER_ERROR, f"the program ended with {ended}{self._quoted(stderr_end)}")
        return written

    async def _start(self, context: CallContext) -> Process:
        stderr_end = context.headers()
        try:
            return await asyncio.create_subprocess_exec(
                *self._settings.command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=self._settings.folder,
                env={**self._environment(), **{name.upper(): value for name, value in stderr_end.items()}},
                start_new_session=True,  # its own process group, to kill it as a whole
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            message = one_line(f"{self._settings.command[0]} cannot be started: {why}")
            raise failed(ErrorClass.CONNECTION, message, sent=False) from None

    def _quoted(self, errors: bytearray) -> str:
        """Return the end of standard error without the values of `env`, which may be secrets."""
        text = errors.decode("utf-8", "replace")
        for value in sorted(self._settings.env.values(), key=len, reverse=True):
            text = text.replace(value, "***") if len(value) > 3 else text
        last = " ".join(text.split())[-250:]
        return f"; its standard error: {last}" if last else ""


async def _write_case(process: Process, case_json: bytes) -> None:
    """Write the case. A program that answers without reading it is not a failure."""
    assert process.stdin is not None
    try:
        process.stdin.write(case_json)
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        process.stdin.close()


async def _answer_of(process: Process, allowance: Allowance) -> bytes:
    """Return the complete output. A program that writes more than the allowance is killed."""
    assert process.stdout is not None
    written, too_large = bytearray(), None
    while data := await process.stdout.read(65536):
        try:
            allowance.receive(len(data))
        except CallError as error:
            too_large = error
            _kill_group(process)  # read the rest of the pipe, or asyncio would keep it open
        else:
            written += data
    if too_large is not None:
        raise too_large
    return bytes(written)


async def _keep_end(process: Process, end: bytearray) -> None:
    """Read standard error to its end and keep the last bytes of it in `end`."""
    assert process.stderr is not None
    while data := await process.stderr.read(65536):
        end += data
        del end[:-MAX_STDERR_BYTES]


async def _finished(process: Process, case_json: bytes, answer: asyncio.Task[bytes]) -> tuple[bytes, int]:
    """Return the output and the exit status."""
    await _write_case(process, case_json)
    code = await _ended(process)
    _kill_group(process)  # children that keep its output open
    return await answer, code


async def _ended(process: Process) -> int:
    """Return the exit status. asyncio's own wait lasts until every child has closed the pipes."""
    while process.returncode is None:  # noqa: ASYNC110 (asyncio has no other signal)
        await asyncio.sleep(POLL_S)
    return process.returncode


async def _settled(process: Process, *readers: asyncio.Task[Any]) -> None:
    """Wait for a killed process, and shortly for its pipes: a child may have left the group."""
    await _ended(process)
    await asyncio.wait(readers, timeout=LEFT_S)
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 (asyncio has no other way to let go)


def _kill_group(process: Process) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the process is gone
        os.killpg(process.pid, signal.SIGKILL)


def _conditions(settings: CommandSettings, prompt: Prompt) -> TargetConditions:
    stderr_end = {
        "command": mask_command(settings.command),
        "folder": str(settings.folder),
        "env": sorted(settings.env),
    }
    return TargetConditions(
        kind="command",
        base_url=shlex.join(mask_command(settings.command)),
        model=settings.model,
        system_prompt_hash=prompt.text_hash,
        template_hash=prompt.template_hash,
        prompt_id=settings.prompt_id,
        prompt_version=settings.prompt_version,
        temperature=None,
        top_p=None,
        max_tokens=None,
        seed=None,
        prompt_from=settings.prompt_from,
        settings_hash=hashlib.sha256(json.dumps(stderr_end, sort_keys=True).encode()).hexdigest(),
    )
