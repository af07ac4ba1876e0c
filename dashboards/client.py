"""HTTP client of the daemon's API, for the pages."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from dashboards.trust import verification
from monitor.api.schema import (
    AlertItem,
    CallerItem,
    CandidateDetail,
    CandidateItem,
    ComparedCaseItem,
    ComparisonItem,
    CorrectionRates,
    FindingItem,
    FlipItem,
    ListPage,
    PauseSchedule,
    PreviewItem,
    Problem,
    ResumeSchedule,
    ReviewCandidate,
    RunItem,
    RunSchedule,
    ScheduleItem,
    ScheduleRunsItem,
    StatusItem,
)
from monitor.api.schema.metrics import SetMetricsItem
from monitor.api.schema.reviews import ReproductionDetail, ReviewAgreementItem, ReviewReceipt, SubmitReview

T = TypeVar("T", bound=BaseModel)
PAGE = 200  # items per request; the daemon allows 500
TIMEOUT_S = 10.0
USER_HEADER = "Driftd-User"  # the daemon records this name with the decision


class DaemonError(Exception):
    """The daemon gave no usable answer. The message is for the page: the problem, the address and what to do. `status`
    is that of the response, None without one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class DaemonUnreachable(DaemonError):
    """No daemon answers at the address."""


class DaemonRefusal(DaemonError):
    """The daemon rejected an order or a decision; the message is the daemon's. `conflict`: someone else was first."""

    def __init__(self, message: str, *, conflict: bool) -> None:
        super().__init__(message)
        self.conflict = conflict


class Client:
    """Reads lists and single items, and sends decisions of reviewers and orders. Every failure is a DaemonError."""

    def __init__(self, url: str, token_file: Path | None = None, token: str | None = None) -> None:
        """Send the token of the reader, or without one that of the file."""
        self._url = url.rstrip("/")
        self._has_reader = token is not None
        headers = _authorization(token_file) if token is None else _bearer(token, "the token")
        try:
            self._http = httpx.Client(base_url=self._url, headers=headers, timeout=TIMEOUT_S, verify=verification())
        except httpx.InvalidURL as error:
            raise self._unreachable(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def status(self) -> StatusItem:
        return self.read("/api/v1/status", StatusItem, {})

    def sender(self) -> CallerItem:
        """Return the identity and the roles that the daemon sees for this dashboard."""
        return self.read("/api/v1/whoami", CallerItem, {})

    def alert(self, alert_id: str) -> AlertItem:
        return self.read(f"/api/v1/alerts/{segment(alert_id)}", AlertItem, {})

    def finding(self, finding_id: str) -> FindingItem:
        return self.read(f"/api/v1/findings/{segment(finding_id)}", FindingItem, {})

    def run(self, run_id: str) -> RunItem:
        return self.read(f"/api/v1/runs/{segment(run_id)}", RunItem, {})

    def candidate(self, candidate_id: str) -> CandidateDetail:
        return self.read(f"/api/v1/candidates/{segment(candidate_id)}", CandidateDetail, {})

    def candidates(self, *, limit: int, cursor: str | None, narrowed: Mapping[str, str]) -> ListPage[CandidateItem]:
        """Return one page of the candidates, newest first; `narrowed` are further query parameters."""
        query = {"limit": str(limit), **narrowed} | ({"cursor": cursor} if cursor is not None else {})
        return self.read("/api/v1/candidates", ListPage[CandidateItem], query)

    def review(self, candidate_id: str, order: ReviewCandidate, user: str | None) -> CandidateDetail:
        """Accept, edit or reject a candidate as `user`. Raise DaemonRefusal when the daemon rejects the decision."""
        path = f"/api/v1/candidates/{segment(candidate_id)}/decisions"
        return self.order(path, order, CandidateDetail, user, role="review")

    def submit_review(self, candidate_id: str, review: SubmitReview, user: str | None) -> ReviewReceipt:
        """Decide on a candidate as `user`. Raise DaemonRefusal when the daemon rejects the decision."""
        path = f"/api/v1/candidates/{segment(candidate_id)}/reviews"
        return self.order(path, review, ReviewReceipt, user, role="review")

    def reproduction(self, candidate_id: str) -> ReproductionDetail:
        return self.read(f"/api/v1/candidates/{segment(candidate_id)}/reproduction", ReproductionDetail, {})

    def agreement(self) -> ReviewAgreementItem:
        return self.read("/api/v1/reviews/agreement", ReviewAgreementItem, {})

    def schedules(self) -> list[ScheduleItem]:
        return self.read("/api/v1/schedules", ListPage[ScheduleItem], {}).items

    def correction_rates(self, deployment: str, by: str) -> CorrectionRates:
        """Return the share of corrected answers of the last four weeks, by group."""
        return self.read("/api/v1/corrections/rate", CorrectionRates, {"deployment": deployment, "by": by})

    def set_metrics(self, deployment: str, set_name: str, *, nights: int) -> SetMetricsItem:
        """Return the metrics of a set over its newest nights."""
        query = {"deployment": deployment, "set_name": set_name, "nights": str(nights)}
        return self.read("/api/v1/sets/metrics", SetMetricsItem, query)

    def preview(self, days: int) -> PreviewItem:
        """Return what the schedules would run in the next days."""
        return self.read("/api/v1/schedules/preview", PreviewItem, {"days": str(days)})

    def pause_schedule(self, name: str, order: PauseSchedule, user: str | None) -> ScheduleItem:
        """Pause a schedule as `user`. Raise DaemonRefusal when the daemon rejects it, as the next two do."""
        return self.order(f"/api/v1/schedules/{segment(name)}/pause", order, ScheduleItem, user, role="operate")

    def resume_schedule(self, name: str, user: str | None) -> ScheduleItem:
        path = f"/api/v1/schedules/{segment(name)}/resume"
        return self.order(path, ResumeSchedule(), ScheduleItem, user, role="operate")

    def run_schedule(self, name: str, user: str | None) -> ScheduleRunsItem:
        """Start every set of a schedule now."""
        path = f"/api/v1/schedules/{segment(name)}/run"
        return self.order(path, RunSchedule(), ScheduleRunsItem, user, role="operate")

    def comparison(self, baseline: str, candidate: str, metric: str | None = None) -> ComparisonItem:
        query = {"baseline": baseline, "candidate": candidate} | _metric(metric)
        return self.read("/api/v1/comparisons", ComparisonItem, query)

    def flips(
        self, baseline: str, candidate: str, *, limit: int, cursor: str | None, narrowed: Mapping[str, str]
    ) -> ListPage[FlipItem]:
        """Return one page of the flipped cases; `narrowed` may set a direction, a category and a failure category."""
        query = {"baseline": baseline, "candidate": candidate, "limit": str(limit), **narrowed}
        if cursor is not None:
            query["cursor"] = cursor
        return self.read("/api/v1/comparisons/flips", ListPage[FlipItem], query)

    def compared_case(
        self, baseline: str, candidate: str, case_id: str, *, metric: str | None = None, reveal: bool = False
    ) -> ComparedCaseItem:
        """Return one case in both runs. With `reveal`, the daemon includes sealed text and logs the access."""
        query = {"baseline": baseline, "candidate": candidate, "case_id": case_id} | _metric(metric)
        return self.read("/api/v1/comparisons/case", ComparedCaseItem, query | ({"reveal": "true"} if reveal else {}))

    def items(
        self,
        name: str,
        kind: type[T],
        *,
        most: int,
        deployment: str | None = None,
        since: datetime | None = None,
        state: str | None = None,
    ) -> list[T]:
        """Return the newest `most` items of `/api/v1/<name>`, newest first, fetched page by page."""
        filters = {"deployment": deployment, "since": since.isoformat() if since else None, "state": state}
        query = {key: value for key, value in filters.items() if value is not None}
        items: list[T] = []
        while len(items) < most:
            size = str(min(PAGE, most - len(items)))
            page = self.read(f"/api/v1/{name}", ListPage[kind], {**query, "limit": size})  # type: ignore[valid-type]
            items.extend(page.items)
            if page.next_cursor is None:
                break
            query["cursor"] = page.next_cursor
        return items

    def order(self, path: str, order: BaseModel, kind: type[T], user: str | None, *, role: str) -> T:
        body = order.model_dump(mode="json", exclude_none=True)
        response = self._answer("POST", path, json=body, headers=_claimed(user))
        if response.is_success:
            return self._parsed(path, kind, response)
        if response.status_code in {httpx.codes.CONFLICT, httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.NOT_FOUND}:
            conflict = response.status_code == httpx.codes.CONFLICT
            raise DaemonRefusal(_detail(response), conflict=conflict)
        raise DaemonError(self._refusal(path, response, role=role), status=response.status_code)

    def read(self, path: str, kind: type[T], query: Mapping[str, str], user: str | None = None) -> T:
        response = self._answer("GET", path, params=query, headers=_claimed(user))
        if not response.is_success:
            raise DaemonError(self._refusal(path, response, role="read"), status=response.status_code)
        return self._parsed(path, kind, response)

    def text(self, path: str) -> str:
        """Return a document that is not JSON."""
        response = self._answer("GET", path)
        if not response.is_success:
            raise DaemonError(self._refusal(path, response, role="read"), status=response.status_code)
        return response.text

    def _parsed(self, path: str, kind: type[T], response: httpx.Response) -> T:
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the document"
            raise DaemonError(
                f"{self._url}{path} sent an unknown response format ({where}: {first['msg']}); "
                "run the dashboard and the daemon in the same version"
            ) from None

    def _answer(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            return self._http.request(method, path, **request)
        except httpx.TimeoutException:
            raise DaemonUnreachable(
                f"the daemon at {self._url} did not answer within {TIMEOUT_S:g} seconds; "
                "check its log, then reload this page"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> DaemonUnreachable:
        return DaemonUnreachable(
            f"the daemon cannot be reached at {self._url} ({error}); start it with `driftd serve`, "
            "or start the dashboard with the correct address after `--`: `--url http://HOST:PORT`"
        )

    def _refusal(self, path: str, response: httpx.Response, *, role: str) -> str:
        detail = _detail(response)
        if response.status_code not in {401, 403}:
            advice = ""
        elif self._has_reader:
            advice = "; log in again, or with another token" if response.status_code == httpx.codes.UNAUTHORIZED else ""
        else:
            advice = f"; start the dashboard with `--token-file FILE`, where FILE has a token with the role `{role}`"
        return f"{self._url}{path} returned {response.status_code}: {detail}{advice}"


def _metric(name: str | None) -> dict[str, str]:
    return {} if name is None else {"metric": name}


def _claimed(user: str | None) -> dict[str, str]:
    return {USER_HEADER: quote(user)} if user else {}


def _detail(response: httpx.Response) -> str:
    try:
        return Problem.model_validate_json(response.content).detail
    except ValidationError:
        return response.text[:200] or "no reason given"


def segment(id_: str) -> str:
    """Return an id as one escaped segment of a path. Links may contain any text."""
    return quote(id_, safe="")


def _authorization(token_file: Path | None) -> dict[str, str]:
    if token_file is None:
        return {}
    try:
        token = token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DaemonError(f"the token file {token_file} cannot be read: {error}; use a readable file") from None
    return _bearer(token, f"the token file {token_file}")


def _bearer(token: str, where: str) -> dict[str, str]:
    if not token.isascii() or not token.isprintable() or not token:
        raise DaemonError(f"{where} must contain a token as one line of printable text")
    return {"Authorization": f"Bearer {token}"}
