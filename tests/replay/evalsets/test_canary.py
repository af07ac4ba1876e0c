import random
import re

from replay.evalsets.canary import new_canary


def test_a_canary_has_the_form_that_a_search_looks_for() -> None:
    form = r"driftd-canary-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(form, new_canary("primes"))


def test_every_set_and_every_import_has_its_own_canary() -> None:
    def canary(name: str, seed: int) -> str:
        return new_canary(name, random.Random(seed).randbytes)

    assert len({canary("primes", 1), canary("primes", 2), canary("support", 1)}) == 3
    assert canary("primes", 1) == canary("primes", 1)


def test_a_canary_does_not_tell_the_name_of_its_set() -> None:
    assert "primes" not in new_canary("primes")
