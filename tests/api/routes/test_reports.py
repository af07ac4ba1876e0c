from monitor.domain.traffic_report import PAGE_POLICY
from tests.api.house import House
from tests.api.rows import PAGE, add_traffic_report


def test_a_report_reports_its_windows_distances_and_evidence(house: House) -> None:
    add_traffic_report(house, "traffic-report-1")
    item = house.get("/api/v1/reports/traffic-report-1").json()
    assert (item["deployment"], item["state"], item["page"]) == ("bot", "made", True)
    assert item["distances"] == {"topic": 0.25, "category": None}
    assert item["counts"] == {"topic": [500, 100], "category": [0, 0]}
    assert item["evidence"] == {"verdict": "insufficient", "missing": 14}
    assert "path" not in item


def test_its_page_comes_alone_and_may_reach_nothing(house: House) -> None:
    add_traffic_report(house, "traffic-report-1")
    answer = house.get("/api/v1/reports/traffic-report-1/page")
    assert answer.content == PAGE
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["x-content-type-options"] == "nosniff"
    policy = answer.headers["content-security-policy"].split("; ")
    assert set(PAGE_POLICY.split("; ")) < set(policy)
    assert "sandbox allow-scripts" in policy
    assert "connect-src 'none'" in policy


def test_a_page_that_was_changed_or_is_gone_is_not_shown(house: House) -> None:
    add_traffic_report(house, "traffic-report-1")
    file = house.store.path.parent / "traffic_reports" / "bot" / "traffic-report-1.html"
    file.write_bytes(PAGE + b"<script>")
    changed = house.get("/api/v1/reports/traffic-report-1/page")
    assert (changed.status_code, "was changed after it was written" in changed.json()["detail"]) == (404, True)
    file.unlink()
    gone = house.get("/api/v1/reports/traffic-report-1/page")
    assert (gone.status_code, "cannot be read" in gone.json()["detail"]) == (404, True)
    assert str(file.parent) not in gone.text


def test_an_unknown_report_is_not_found(house: House) -> None:
    for path in ("/api/v1/reports/x", "/api/v1/reports/x/page"):
        answer = house.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
