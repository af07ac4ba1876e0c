"""LiteLLM's proxy with its OpenTelemetry callback. The application uses OpenAI's client without tracing."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import contract

KEY = "sk-of-a-driver-of-the-matrix-7f3a91c2"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    model = {"model": f"openai/{contract.MODEL}", "api_base": f"{contract.PROVIDER}/v1", "api_key": "none"}
    config = {
        "model_list": [{"model_name": contract.MODEL, "litellm_params": model}],
        "litellm_settings": {"callbacks": ["otel"], "num_retries": 2},
        "general_settings": {"master_key": KEY},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml", "--host", "127.0.0.1"]
    texts = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY"}
    env = {**os.environ, **texts, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return subprocess.Popen([*command, "--port", str(port)], cwd=folder, env=env)


def wait(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/health/liveliness", timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"the proxy left with {process.returncode}")


with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    process = start(Path(folder), port)
    try:
        url = f"http://127.0.0.1:{port}"
        wait(url, process)
        import openai
        import openai_calls

        def client() -> openai.OpenAI:
            return openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)

        contract.run(openai_calls.scenarios(client))
        time.sleep(6)  # the proxy exports every 5 s
    finally:
        process.terminate()
        process.wait()
