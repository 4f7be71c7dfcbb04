"""Request bodies about commands: their form only; the service checks bounds and meaning."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, WithJsonSchema

from hashinsight.commands.limits import DEFAULT_BACKOFF_SEC, DEFAULT_RETRIES, DEFAULT_TTL_SEC, MAX_MACHINES
from hashinsight.commands.requests import CommandRequest
from hashinsight.commands.states import Priority
from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import Id, MinerFilter, SiteRef, Word
from hashinsight.kit.web.bodies import form

_PLAIN = r"^[^\x00]*$"
_MAX_VALUES = 2000
# the service refuses other values, with an error code of its own
_PARAMS = WithJsonSchema({"anyOf": [{"type": "object", "additionalProperties": True}, {"type": "null"}]})


def _few_values(document: Any) -> Any:
    """Stops at the value that is too many: later steps work on each of them."""
    count, pending = 0, [document]
    while pending:
        value = pending.pop()
        if isinstance(value, dict | list):
            count += len(value)
            if count > _MAX_VALUES:
                raise ValueError(f"more than {_MAX_VALUES} values")
            pending.extend(value.values() if isinstance(value, dict) else value)
    return document


MinerId = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MINER_ID_CHARS, pattern=_PLAIN)
]
MinerIds = Annotated[
    list[MinerId], Field(max_length=MAX_MACHINES + 5_000, fail_fast=True)
]  # a few more than allowed: that error has a code of its own
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=_PLAIN)]


class Filter(BaseModel):
    """All given keys must match. `zone` and `rack` are codes; `text` is the beginning of an id, serial or MAC.

    `issue_code`: machines that have this problem now.
    """

    model_config = form(model="S19j Pro", zone="B2", online=True)

    model: Word | None = None
    firmware: Word | None = None
    zone: Word | None = None
    rack: Word | None = None
    owner: Word | None = None
    group_id: Id | None = None
    text: Word | None = None
    issue_code: Word | None = None
    online: bool | None = None

    def miner_filter(self) -> MinerFilter:
        return MinerFilter(**self.model_dump(exclude={"online", "issue_code"}))


class NewCommands(BaseModel):
    """`miner_ids`, `group_id` or `filter` selects the machines of `site_id` (id or code); the rest is the command."""

    model_config = form(
        site_id="tx-midland-1",
        miner_ids=["B2-R14-03"],
        command_type="set_fan",
        params={"speed": 80},
        priority="efficiency",
        ttl_sec=900,
        reason="inlet 4 °C above neighbours",
    )

    site_id: SiteRef | Id | None = None
    miner_ids: MinerIds | None = None
    group_id: Id | None = None
    filter: Filter | None = None
    command_type: Annotated[str, Field(max_length=100)]
    params: Annotated[Any, AfterValidator(_few_values), _PARAMS] = None
    priority: Annotated[str, Field(json_schema_extra={"enum": list(Priority)})] = Priority.EFFICIENCY
    priority_number: int = 5
    ttl_sec: int = DEFAULT_TTL_SEC
    max_retries: int = DEFAULT_RETRIES
    retry_backoff_sec: int = DEFAULT_BACKOFF_SEC
    reason: str = ""
    problem_id: str | None = None
    evidence: Annotated[dict[str, Any], AfterValidator(_few_values)] | None = None
    emergency: bool = False
    approval_required: bool = False
    dedupe_key: str | None = None
    dedupe_window_sec: int | None = None
    dry_run: bool = False

    def command_request(self, idempotency_key: str | None) -> CommandRequest:
        same = set(NewCommands.model_fields) - {"site_id", "miner_ids", "filter", "params", "dry_run"}
        return CommandRequest(
            **{name: getattr(self, name) for name in same},
            params={} if self.params is None else self.params,
            site=self.site_id,
            miner_ids=None if self.miner_ids is None else tuple(self.miner_ids),
            filter=None if self.filter is None else self.filter.miner_filter(),
            online=None if self.filter is None else self.filter.online,
            issue_code=None if self.filter is None else self.filter.issue_code,
            idempotency_key=idempotency_key,
        )


class Decision(BaseModel):
    model_config = form(reason="checked on the camera: aisle is empty")

    reason: Reason


class Cancellation(BaseModel):
    model_config = form(reason="technician is on site")

    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000, pattern=_PLAIN)] = ""
