"""The configuration of the demo: a normal YAML file in the folder of the demo database."""

from pathlib import Path
from typing import Any

import yaml

from monitor.cli.demo.product import SYSTEM_PROMPT

DEPLOYMENT = "prime-helper"
FROZEN = "primes-private"
DYNAMIC = "primes-corrected"
NIGHTLY = "0 2 * * *"
MEASURES = "Whether the model knows if a number is prime, on 800 questions of the product's own."
TOKEN_FILE = "demo.token"  # noqa: S105 - a name, no token; its role `reveal` lets a visitor read sealed answers


def write_settings(
    folder: Path,
    *,
    model_url: str,
    webhook_url: str,
    api_port: int,
    otlp_port: int,
    dashboard_url: str | None,
    with_token: bool = False,
) -> Path:
    """Write driftd.yaml into `folder` and return its path. Port 0 selects a free port.

    `with_token` requires the token of TOKEN_FILE, which must exist before the file is loaded.
    """
    path = folder / "driftd.yaml"
    path.write_text(
        yaml.safe_dump(
            _tree(
                model_url,
                webhook_url,
                api_port=api_port,
                otlp_port=otlp_port,
                dashboard_url=dashboard_url,
                with_token=with_token,
            ),
            sort_keys=False,
        )
    )
    return path


def _tree(
    model_url: str, webhook_url: str, *, api_port: int, otlp_port: int, dashboard_url: str | None, with_token: bool
) -> dict[str, Any]:
    choice = {
        "kind": "choice",
        "choices": ["Yes", "No"],
        "pattern": r"\[({choices})\]",
        "format_category": "no_verdict",
        "failure_categories": {"Yes": "missed_prime", "No": "false_prime"},
    }
    return {
        "store": {"path": "driftd.duckdb"},
        "api": {
            "port": api_port,
            "dashboard_url": dashboard_url,
            "tokens": [{"name": "demo", "token_file": TOKEN_FILE, "roles": ["admin", "reveal"]}] if with_token else [],
        },
        "ingest": {"otlp": {"port": otlp_port}, "otlp_grpc": {"port": 0}},
        "deployments": {
            DEPLOYMENT: {
                "target": "gpt-4",
                "sets": [FROZEN, DYNAMIC],
                "failure_categories": ["missed_prime", "false_prime", "no_verdict"],
                "drift": {"min_cases": 20},
            }
        },
        "targets": {
            "gpt-4": {
                "kind": "openai",
                "base_url": model_url,
                "model": "gpt-4",
                "system_prompt": SYSTEM_PROMPT,
                "temperature": 0.1,
                "max_tokens": 1000,
                "price": {"input_usd_per_mtok": 30.0, "output_usd_per_mtok": 60.0},
            }
        },
        "sets": {
            FROZEN: {"kind": "frozen", "key_file": "primes.key", "scorers": [choice], "measures": MEASURES},
            DYNAMIC: {
                "kind": "dynamic",
                "sampling": {"per_night": 40},
                "scorers": [choice],
                "measures": "Whether the answers are right that users corrected or that were drawn from traffic.",
            },
        },
        "schedules": {"nightly": {"cron": NIGHTLY, "deployments": [DEPLOYMENT]}},
        "receivers": {"console": {"kind": "console"}, "pager": {"kind": "webhook", "url": webhook_url}},
        "alerts": {"receivers": ["console", "pager"], "group_wait_s": 0},
    }
