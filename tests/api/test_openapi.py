"""The document at /openapi.json is valid and complete."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.api.house import House, open_house

READS_WITHOUT_A_MODEL = {"/api/v1/backups/{id}/chunk", "/metrics", "/api/v1/reports/{id}/page"}
SAME_CONTENT_IS_SAME_WRITE = {"/api/v1/results"}


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with open_house(tmp_path_factory.mktemp("document")) as house:
        answer: dict[str, Any] = house.get("/openapi.json").json()
    return answer


def test_it_names_the_service_and_its_version(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert document["info"] == document["info"] | {"title": "driftd", "version": "0.1.0+test"}


def test_every_answer_has_a_declared_model(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        assert good, (path, method)
        if path in READS_WITHOUT_A_MODEL:
            continue
        schema = good[0]["content"]["application/json"]["schema"]
        assert schema.get("$ref", "").startswith("#/components/schemas/"), (path, method, schema)


def test_every_operation_may_answer_a_problem_and_promises_no_other_error(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        problem = operation["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert problem == {"$ref": "#/components/schemas/Problem"}
        assert "422" not in operation["responses"], (path, method)
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    def refs(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            node = list(node.values())
        if isinstance(node, list):
            for item in node:
                yield from refs(item)

    for ref in set(refs(document)):
        target: Any = document
        for part in ref.removeprefix("#/").split("/"):
            target = target[part]


def test_every_schema_is_a_json_schema(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_write_declares_its_body_and_takes_an_idempotency_key(document: dict[str, Any]) -> None:
    writes = [(path, operation) for path, method, operation in operations(document) if method == "post"]
    writes = [row for row in writes if not row[0].startswith("/api/v1/callbacks/")]  # services define their requests
    assert len(writes) >= 7
    for path, operation in writes:
        assert "application/json" in operation["requestBody"]["content"], path
        names = {p["name"].lower() for p in operation["parameters"]}
        assert "idempotency-key" in names or path in SAME_CONTENT_IS_SAME_WRITE, path


def test_every_guarded_operation_asks_for_a_bearer_token(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"] == {"bearer": {"type": "http", "scheme": "bearer"}}
    for path, method, operation in operations(document):
        expected: list[dict[str, list[str]]] = [{"bearer": []}] if "x-role" in operation else []
        assert operation["security"] == expected, (path, method)


def test_operation_names_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))


def test_answers_match_the_document(house: House, document: dict[str, Any]) -> None:
    [schema] = [
        operation["responses"]["200"]["content"]["application/json"]["schema"]
        for path, _, operation in operations(document)
        if path == "/api/v1/status"
    ]
    whole = {**schema, "components": document["components"]}
    Draft202012Validator(whole).validate(house.get("/api/v1/status").json())
