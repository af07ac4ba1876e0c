from monitor.domain.evalset import Refresh
from monitor.store.sets import refreshes
from tests.api.house import NOW, House, import_cases

PATH = "/api/v1/sets/refreshes"


def test_what_refreshes_changed_is_listed_with_its_reasons(house: House) -> None:
    revision = import_cases(house, "corrections")
    report = Refresh(
        set_name="corrections",
        revision=revision,
        parent=None,
        at=NOW,
        cases=3,
        carried=1,
        entered=("p-7", "c-9"),
        left={"p-5": "too old"},
        replaced=("p-11",),
        excluded={"no room": 4},
    )
    with house.store.write() as tx:
        refreshes.insert(tx, report)
    (item,) = house.get(PATH, set_name="corrections").json()["items"]
    assert (item["entered"], item["left"], item["replaced"]) == (["p-7", "c-9"], {"p-5": "too old"}, ["p-11"])
    assert (item["excluded"], item["carried"]) == ({"no room": 4}, 1)
    assert house.get(PATH, set_name="nothing").status_code == 404
    assert house.get(PATH, set_name="corrections", until="2020-01-01T00:00:00Z").json()["items"] == []
