"""A local program: what it is told, and that nothing of it is left."""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from replay.errors import CallError, TargetError
from replay.targets.base import CallContext
from replay.targets.command import CommandSettings, CommandTarget
from replay.types import Case, Message, Reply
from tests.replay.targets.test_contract import CONTEXT, PROGRAM, QUESTION


def ask(folder: Path, source: str, *arguments: str, what: Case = QUESTION, **changes: Any) -> Reply:
    path = folder / "answer.py"
    path.write_text(source)
    command = (sys.executable, "answer.py", *arguments)
    target = CommandTarget(CommandSettings(**{"command": command, "folder": folder, "timeout_s": 20.0, **changes}))
    return asyncio.run(target.call(what, 3, CONTEXT))


def failure(folder: Path, source: str, *arguments: str, **changes: Any) -> CallError:
    with pytest.raises(CallError) as raised:
        ask(folder, source, *arguments, **changes)
    return raised.value


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def gone(path: Path) -> bool:
    """Whether the process that wrote its number there ends within a moment."""
    pid, until = int(path.read_text()), time.monotonic() + 5
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(pid)


def test_the_program_is_told_the_case_the_prompt_and_who_is_calling(tmp_path: Path) -> None:
    what = Case(id="c1", input=(Message(role="user", content="Is it?"),), variables={"shop": "us"})
    reply = ask(tmp_path, PROGRAM, "echo", what=what, system_prompt="Be brief.", env={"TOKEN": "t-1"})
    told = json.loads(reply.text)
    assert told["asked"]["messages"] == [{"role": "user", "content": "Is it?"}]
    assert (told["asked"]["question"], told["asked"]["system"]) == ("Is it?", "Be brief.")
    assert (told["asked"]["case_id"], told["asked"]["sample"], told["asked"]["run_id"]) == ("c1", 3, "run-1")
    assert told["asked"]["variables"] == {"shop": "us"}
    assert told["asked"]["baggage"] == told["env"]["BAGGAGE"] == "driftd.run=run-1"
    assert told["env"]["TRACEPARENT"] == CONTEXT.headers()["traceparent"]


def test_the_program_gets_no_more_of_the_environment_than_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTD_SECRET", "hush")
    told = json.loads(ask(tmp_path, PROGRAM, "echo", env={"TOKEN": "t-1"}).text)
    assert told["env"]["TOKEN"] == "t-1"
    assert "DRIFTD_SECRET" not in told["env"]


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    source = "import json, sys; print(json.dumps({'text': sys.argv[1]}))"
    assert ask(tmp_path, source, "$HOME; touch hacked").text == "$HOME; touch hacked"
    assert not (tmp_path / "hacked").exists()


def test_the_end_of_what_a_failing_program_said_is_told(tmp_path: Path) -> None:
    source = "import sys; sys.stderr.write('x' * 300_000 + '\\nKeyError: no such\\norder, by t-secret'); sys.exit(3)"
    error = failure(tmp_path, source, env={"TOKEN": "t-secret"})
    assert (error.error_class, error.retryable) == ("server_error", True)
    assert str(error).startswith("the program ended with exit code 3; its standard error: ")
    assert str(error).endswith("KeyError: no such order, by ***")
    assert len(str(error)) < 400


def test_a_program_that_is_killed_says_by_what(tmp_path: Path) -> None:
    source = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    assert "ended with signal SIGSEGV" in str(failure(tmp_path, source))


FAMILY = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path("child").write_text(str(child.pid))
pathlib.Path("parent").write_text(str(os.getpid()))
sys.stderr.write("still thinking")
sys.stderr.flush()
"""


def test_the_deadline_ends_the_program_and_its_children(tmp_path: Path) -> None:
    error = failure(tmp_path, FAMILY + "time.sleep(60)", timeout_s=1.0)
    assert (error.error_class, str(error)) == ("timeout", "no answer within 1 s; its standard error: still thinking")
    assert gone(tmp_path / "parent")
    assert gone(tmp_path / "child")


@pytest.mark.timeout(50)  # the child sleeps for 60 s
def test_a_child_that_holds_the_output_open_is_not_waited_for(tmp_path: Path) -> None:
    reply = ask(tmp_path, FAMILY + 'print(\'{"text": "yes"}\')')
    assert reply.text == "yes"
    assert gone(tmp_path / "child")


@pytest.mark.timeout(50)  # the child sleeps for 60 s
def test_a_child_that_left_the_group_is_not_waited_for_either(tmp_path: Path) -> None:
    runaway = FAMILY.replace('time.sleep(60)"]', 'time.sleep(60)"], start_new_session=True')
    assert failure(tmp_path, runaway + "time.sleep(60)", timeout_s=0.5).error_class == "timeout"
    os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def test_a_call_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text(FAMILY + "time.sleep(60)")
    settings = CommandSettings(command=(sys.executable, "answer.py"), folder=tmp_path)

    async def cancelled() -> None:
        calling = asyncio.create_task(CommandTarget(settings).call(QUESTION, 0, CONTEXT))
        while not (tmp_path / "parent").exists():  # noqa: ASYNC110 (another process writes it)
            await asyncio.sleep(0.02)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling

    asyncio.run(cancelled())
    assert gone(tmp_path / "parent")
    assert gone(tmp_path / "child")


def test_an_endless_answer_is_cut_short(tmp_path: Path) -> None:
    source = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    error = failure(tmp_path, source)
    assert (error.error_class, str(error)) == (
        "reply_too_large",
        "reply exceeds 16 MiB (max_reply_mb of the target); raise the limit or ask for shorter answers",
    )  # fmt: skip


def test_a_program_that_does_not_read_its_question_may_answer(tmp_path: Path) -> None:
    long = Case(id="c", input=(Message(role="user", content="x" * 2**20),))
    assert ask(tmp_path, 'print(\'{"text": "yes"}\')', what=long).text == "yes"


@pytest.mark.parametrize(
    ("answer", "error_class"),
    [
        ("", "empty_reply"),
        ("{}", "malformed_reply"),
        ('{"text": 7}', "malformed_reply"),
        ('{"text": ""}', "empty_reply"),
        ("[]", "malformed_reply"),
        ('{"error": "no credit", "error_class": "quota"}', "quota"),
        ('{"error": "it broke"}', "server_error"),
        ('{"error_class": "no_such_class"}', "server_error"),
    ],
)
def test_what_is_no_answer_has_its_class(answer: str, error_class: str, tmp_path: Path) -> None:
    assert failure(tmp_path, f"print({answer!r})").error_class == error_class


def test_everything_the_program_tells_is_kept(tmp_path: Path) -> None:
    call = {"id": "1", "name": "find_order", "arguments": "{}", "result": "shipped"}
    told = {"text": "yes", "cost_usd": 0.5, "ttft_ms": 12.5, "tool_calls": [call], "reported": {"cache": 3}}
    reply = ask(tmp_path, f"import json; print(json.dumps({told!r}))", input_usd_per_mtok=1.0, output_usd_per_mtok=1.0)
    assert (reply.cost_usd, reply.ttft_ms, dict(reply.reported)) == (0.5, 12.5, {"cache": "3"})
    assert [(made.name, made.result) for made in reply.tool_calls] == [("find_order", "shipped")]


def test_a_program_that_is_not_there_is_a_connection_that_fails(tmp_path: Path) -> None:
    target = CommandTarget(CommandSettings(command=("no-such-program",), folder=tmp_path))
    for asked in (target.call(QUESTION, 0, CONTEXT), target.check()):
        with pytest.raises(CallError) as raised:
            asyncio.run(asked)
        assert raised.value.error_class == "connection"
        assert "no-such-program" in str(raised.value)


def test_a_dry_call_looks_for_the_program_and_does_not_run_it(tmp_path: Path) -> None:
    program = tmp_path / "answer.sh"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o700)
    asyncio.run(CommandTarget(CommandSettings(command=("./answer.sh",), folder=tmp_path)).check())
    assert not (tmp_path / "ran").exists()


def test_a_command_of_nothing_is_refused() -> None:
    with pytest.raises(TargetError, match="command has no program"):
        CommandTarget(CommandSettings(command=()))


def test_it_runs_in_the_loop_of_any_thread(tmp_path: Path) -> None:
    """The daemon replays in a thread of its own."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask, tmp_path, PROGRAM, "well").result(30).text == "[Yes] it is."


def test_no_more_run_at_once_than_allowed(tmp_path: Path) -> None:
    source = """
import json, os, pathlib, time
pathlib.Path(f"run-{os.getpid()}").touch()
at_once = len(list(pathlib.Path(".").glob("run-*")))
time.sleep(0.3)
pathlib.Path(f"run-{os.getpid()}").unlink()
print(json.dumps({"text": str(at_once)}))
"""
    (tmp_path / "answer.py").write_text(source)
    settings = CommandSettings(command=(sys.executable, "answer.py"), folder=tmp_path, concurrency=2)

    async def many() -> list[Reply]:
        target = CommandTarget(settings)
        contexts = [CallContext(run_id="r", trace_id="ab" * 16, span_id=f"{n:016x}") for n in range(1, 7)]
        return await asyncio.gather(*(target.call(QUESTION, 0, context) for context in contexts))

    assert max(int(reply.text) for reply in asyncio.run(many())) <= 2
