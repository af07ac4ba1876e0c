"""The tables of clients in docs/connect.md are those that the declarations of the families make."""

from tests.clients.matrix.page import PAGE, replaced


def test_the_tables_of_clients_are_those_of_the_declarations() -> None:
    text = PAGE.read_text()
    assert text == replaced(text), "run: python -m tests.clients.matrix.page --write"
