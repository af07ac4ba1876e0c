import hashlib

from monitor.cli.demo.split import Split, split
from monitor.cli.demo.stage import default_data
from replay.recorded.data import load_recorded


def parts() -> Split:
    return split(load_recorded(default_data()).questions)


def test_private_questions_and_traffic_never_meet() -> None:
    frozen, production = parts().frozen, parts().production
    assert (len(frozen), len(production)) == (800, 200)
    assert not {case.id for case in frozen} & {case.id for case in production}
    assert not {case.question for case in frozen} & {case.question for case in production}


def test_the_private_ones_come_first_by_the_hash_of_their_id() -> None:
    digest = {case.id: hashlib.sha256(case.id.encode()).hexdigest() for case in (*parts().frozen, *parts().production)}
    assert max(digest[c.id] for c in parts().frozen) < min(digest[c.id] for c in parts().production)
