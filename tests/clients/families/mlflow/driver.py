"""OpenAI's client with MLflow's autologging, over MLflow's own paths."""

import os

import contract

contract.without_otel_exporter()
os.environ |= {"MLFLOW_TRACKING_TOKEN": contract.TOKEN, "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false"}

import mlflow
import openai_calls

mlflow.set_tracking_uri(contract.OTLP)
mlflow.set_experiment(contract.SERVICE)
mlflow.openai.autolog()


@mlflow.trace
def turns() -> None:
    mlflow.update_current_trace(metadata={"mlflow.trace.session": contract.CONVERSATION})
    openai_calls.turns(openai_calls.client())


def feedback() -> None:
    openai_calls.plain(openai_calls.client())
    trace_id = mlflow.get_last_active_trace_id()
    mlflow.log_feedback(trace_id=trace_id, name="user_feedback", value=False, rationale="wrong")


contract.run({**openai_calls.scenarios(), "turns": turns, "feedback": feedback})
mlflow.flush_trace_async_logging()
