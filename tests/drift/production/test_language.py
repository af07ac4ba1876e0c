import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.production.language import UNKNOWN, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Please tell me how to cancel the subscription that I have.", "en"),
        ("Ich möchte mein Abonnement kündigen, wie kann ich das tun?", "de"),
        ("Je voudrais annuler mon abonnement avec une carte, comment faire ?", "fr"),
        ("¿Cómo puedo cancelar la suscripción que está en mi cuenta?", "es"),
        ("Come posso annullare il mio abbonamento e che cosa devo fare con la carta?", "it"),
        ("Como você pode cancelar a minha assinatura com o cartão? Não sei.", "pt"),
        ("Hoe kan ik mijn abonnement opzeggen, en wat moet ik doen met het geld?", "nl"),
        ("Jak mogę anulować subskrypcję, czy to jest dla mnie?", "pl"),
        ("Как мне отменить подписку?", "cyrillic"),
        ("どうすれば解約できますか", "ja"),
        ("如何取消订阅", "zh"),
        ("구독을 어떻게 취소하나요", "ko"),
        ("كيف يمكنني إلغاء اشتراكي؟", "arabic"),
        ("ok 12345", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_question_shows_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_code_with_one_stop_word_is_no_language() -> None:
    assert language_of("die(NullPointerException x, y, z)") == UNKNOWN


@given(st.text())
def test_every_text_has_an_answer_and_always_the_same(text: str) -> None:
    assert language_of(text) == language_of(text)
