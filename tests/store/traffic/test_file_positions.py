from monitor.store.engine.database import Store
from monitor.store.traffic import file_positions
from monitor.store.traffic.file_positions import FileMove, FilePosition
from tests.store.build import START


def moved(before: int, after: int, *, whole: bool = False, digest: str = "d") -> FileMove:
    return FileMove(digest=digest, before=before, after=after, offset=10 * after, whole=whole, at=START)


def move(store: Store, *moves: FileMove) -> FilePosition | None:
    with store.write() as tx:
        file_positions.move(tx, moves)
    with store.read() as tx:
        return file_positions.position_of(tx, "d")


def test_a_file_is_read_on_from_where_the_last_piece_ended(store: Store) -> None:
    assert move(store) is None
    assert move(store, moved(0, 3), moved(3, 7), moved(0, 5, digest="other")) == FilePosition(read_to=70, records=7)
    assert move(store, moved(7, 9)) == FilePosition(read_to=90, records=9)


def test_a_piece_from_elsewhere_moves_nothing(store: Store) -> None:
    move(store, moved(0, 3))
    assert move(store, moved(5, 9), moved(2, 9)) == FilePosition(read_to=30, records=3)
    assert move(store, moved(1, 9, digest="never begun")) == FilePosition(read_to=30, records=3)


def test_a_file_that_is_begun_again_or_read_whole_is_forgotten(store: Store) -> None:
    move(store, moved(0, 3), moved(3, 7))
    assert move(store, moved(0, 2)) == FilePosition(read_to=20, records=2)
    assert move(store, moved(2, 9, whole=True)) is None
    assert move(store, moved(0, 4, whole=True)) is None
