"""What an answer means for what was sent."""

import pytest

from hashinsight.edge.cloud.answers import Answer, Backoff, Kind, judge


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (200, b'{"success": true}', Kind.DELIVERED),
        (200, b'{"commands": []}', Kind.DELIVERED),
        (204, b"", Kind.DELIVERED),
        (200, b'{"success": false}', Kind.LATER),
        (200, b"<html>welcome to the hotel</html>", Kind.LATER),
        (200, b'"ok"', Kind.LATER),
        (202, b'{"success": true}', Kind.LATER),
        (302, b"", Kind.LATER),
        (404, b'{"error_code": "NOT_FOUND"}', Kind.LATER),
        (429, b"{}", Kind.LATER),
        (503, b"", Kind.LATER),
        (422, b'{"error_code": "BAD_JSON"}', Kind.REFUSED),
        (422, b"<html>", Kind.LATER),
        (413, b"<html>nginx</html>", Kind.REFUSED),
        (401, b"", Kind.NOT_LET_IN),
        (403, b'{"error_code": "SITE_MISMATCH"}', Kind.NOT_LET_IN),
    ],
)
def test_only_exactly_200_frees_the_spool_and_only_the_cloud_refuses_for_good(
    status: int, content: bytes, kind: Kind
) -> None:
    assert judge(status, content, {}, now=0.0).kind is kind


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("60", 60), ("999999", 3600), ("Thu, 01 Jan 1970 00:02:00 GMT", 120), ("soon", None), ("", None), ("²", None)],
)
def test_the_cloud_says_how_long_to_wait(said: str, seconds: float | None) -> None:
    assert judge(503, b"", {"retry-after": said}, now=0.0).retry_after_sec == seconds


def test_waits_double_with_jitter_up_to_a_bound_and_a_closed_door_slows_down_at_once() -> None:
    backoff, away = Backoff(1.0, 60.0), Answer(Kind.LATER)
    waits = [backoff.after(away) for _ in range(10)]
    assert all(0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(waits[:6]))
    assert all(30 <= wait <= 60 for wait in waits[6:])
    assert Backoff().after(Answer(Kind.NOT_LET_IN)) >= 30
    assert Backoff().after(Answer(Kind.LATER, retry_after_sec=100.0)) == 100.0
