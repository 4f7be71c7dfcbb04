"""What an answer of the cloud means for what was sent."""

import pytest

from hashinsight.edge.cloud.answers import Answer, AnswerKind, Backoff, classify


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (200, b'{"success": true}', AnswerKind.DELIVERED),
        (200, b'{"commands": []}', AnswerKind.DELIVERED),
        (204, b"", AnswerKind.DELIVERED),
        (200, b'{"success": false}', AnswerKind.RETRY),
        (200, b"<html>welcome to the hotel</html>", AnswerKind.RETRY),
        (200, b'"ok"', AnswerKind.RETRY),
        (202, b'{"success": true}', AnswerKind.RETRY),
        (302, b"", AnswerKind.RETRY),
        (404, b'{"error_code": "NOT_FOUND"}', AnswerKind.RETRY),
        (429, b"{}", AnswerKind.RETRY),
        (503, b"", AnswerKind.RETRY),
        (422, b'{"error_code": "BAD_JSON"}', AnswerKind.REFUSED),
        (422, b"<html>", AnswerKind.RETRY),
        (413, b"<html>nginx</html>", AnswerKind.REFUSED),
        (401, b"", AnswerKind.DENIED),
        (403, b'{"error_code": "SITE_MISMATCH"}', AnswerKind.DENIED),
    ],
)
def test_only_exactly_200_frees_the_spool_and_only_the_cloud_refuses_for_good(
    status: int, content: bytes, kind: AnswerKind
) -> None:
    assert classify(status, content, {}, now=0.0).kind is kind


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("60", 60), ("999999", 3600), ("Thu, 01 Jan 1970 00:02:00 GMT", 120), ("soon", None), ("", None), ("²", None)],
)
def test_the_cloud_can_ask_to_wait(value: str, seconds: float | None) -> None:
    assert classify(503, b"", {"retry-after": value}, now=0.0).retry_after_sec == seconds


def test_waits_double_with_jitter_up_to_a_maximum_and_denied_access_slows_down_at_once() -> None:
    backoff, away = Backoff(1.0, 60.0), Answer(AnswerKind.RETRY)
    waits = [backoff.after(away) for _ in range(10)]
    assert all(0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(waits[:6]))
    assert all(30 <= wait <= 60 for wait in waits[6:])
    assert Backoff().after(Answer(AnswerKind.DENIED)) >= 30
    assert Backoff().after(Answer(AnswerKind.RETRY, retry_after_sec=100.0)) == 100.0
