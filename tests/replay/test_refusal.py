import pytest

from replay.refusal import CHARS_READ, are_refusals, is_refusal

REFUSES = (
    "I’m sorry, but I can’t assist with that request.",
    "I cannot help with that.",
    "I am unable to provide medical advice.",
    "As an AI language model, I do not have opinions.",
    "I must decline.",
    "That is against our guidelines.",
    "Es tut mir leid, aber das geht nicht.",
    "Ich kann Ihnen dabei leider nicht helfen.",
    "Je ne peux pas répondre à cette question.",
    "Lo siento, pero no puedo ayudar con eso.",
    "Desculpe, mas não posso ajudar.",
    "I'm \n sorry,   but I can't.",
)
HELPS = (
    "",
    "Sorry for the delay! Your parcel is on its way.",
    "I am sorry to hear that. Here is how to get a refund:",
    "You can't share one account between two shops.",
    "Ich kann Ihnen helfen.",
)


@pytest.mark.parametrize("answer", REFUSES)
def test_a_refusal_is_recognized(answer: str) -> None:
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", HELPS)
def test_a_helpful_answer_is_not_a_refusal(answer: str) -> None:
    assert not is_refusal(answer)


def test_a_late_quotation_of_a_refusal_does_not_count() -> None:
    assert not is_refusal("Here is your text. " * CHARS_READ + "I cannot help with that.")


def test_many_answers_have_the_result_of_each() -> None:
    one_alone = [HELPS[1]] * 100 + [REFUSES[-1]] + [HELPS[2]] * 100
    split = ["Es tut", "mir leid, aber das geht nicht.", "i can't\u2028help", "\ud800 I cannot\nhelp with that."]
    for answers in ([], [*REFUSES], [*HELPS], one_alone, split, [*REFUSES, *HELPS] * 30):
        assert are_refusals(answers) == [is_refusal(answer) for answer in answers]
    assert are_refusals(one_alone).count(True) == 1
