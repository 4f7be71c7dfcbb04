"""What one collector writes costs its own call, and keeps nobody else waiting."""

import gzip
import json
import time
from typing import Any

import pytest

from hashinsight.kit.ids import new_id
from tests.collectors.collector_site import EDGE, CollectorSite, bearer

# many beginnings and no end, in letters that leave no quick way out
PIECES = ("a" * 8000, "_password" * 900, "token-" * 1300, "eyJabc-" * 1100, "é://a:a" * 1100)


def hard(number: int, most: int = 8000) -> str:
    """Each time another text, so that none is known already."""
    return f"é{number} {PIECES[number % len(PIECES)]}"[:most]


def ack(number: int) -> dict[str, Any]:
    texts = {"error_message": hard(number), "result": {"text": hard(number)}}
    return {"status": "succeeded", **texts, "before": {"log": [hard(number + 1)]}, "after": {"log": hard(number + 2)}}


ACKS = {"acks": [{**ack(number), "command_id": str(new_id())} for number in range(8)]}
EVENTS = {
    "events": [
        {"kind": "miner_error", "message": hard(number, 4000), "details": {"log": hard(number)}} for number in range(20)
    ]
}


def samples() -> list[dict[str, Any]]:
    now = int(time.time())
    return [
        {"miner_id": f"m-{no}", "ts": now, "hashrate_ths": 100, "error_message": hard(no, 400), "text": hard(no, 7500)}
        for no in range(30)
    ]


CALLS: dict[str, tuple[str, Any]] = {
    "acks": ("commands/ack/batch", ACKS),
    "one ack": (f"commands/{new_id()}/ack", ack(0)),
    "events": ("events", EVENTS),
    "telemetry": ("telemetry/batch", samples()),
    "heartbeat": ("heartbeat", {"status": "online", "extra_data": {"log": hard(0), "more": hard(1, 6000)}}),
}


@pytest.mark.parametrize(("path", "body"), CALLS.values(), ids=CALLS)
async def test_a_call_full_of_hard_text_does_not_hold_up_the_event_loop(
    collector_site: CollectorSite, path: str, body: dict[str, Any] | list[Any]
) -> None:
    _, token = await collector_site.collector()
    collector_site.at(0)
    content = json.dumps(body).encode()
    content = gzip.compress(content) if path.startswith("telemetry") else content
    await collector_site.api.post(f"{EDGE}/{path}", headers=bearer(token), content=b"{}")  # what is done once is done
    headers = {**bearer(token), "Content-Type": "application/json"}
    loop, everything = time.thread_time(), time.process_time()
    answer = await collector_site.api.post(f"{EDGE}/{path}", headers=headers, content=content)
    loop, everything = time.thread_time() - loop, time.process_time() - everything
    assert answer.status_code in (200, 404), answer.text
    assert loop < 0.25, "seconds of the processor, in the thread that answers everybody"
    assert everything < 2.0
