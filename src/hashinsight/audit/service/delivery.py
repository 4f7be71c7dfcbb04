"""Delivery of seals to an anchor: a file, or a webhook that the operator of the installation chose."""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.anchors import AnchoredSeal, LostSeals, find_loss_reason, is_torn
from hashinsight.audit.chain import Anchor, anchor_line, read_anchor
from hashinsight.audit.queries import seals
from hashinsight.kit.errors import Conflict, HashInsightError, ValidationFailed

_SEALS = 500
_TAIL_BYTES = 1_000_000  # a line lists every running transaction: thousands fit
_POST_SECONDS = 15.0


class AnchorDisagrees(HashInsightError):
    """The anchor has another history than the log: a person must look before anything is added."""


async def deliver_seals(session: AsyncSession, target: str, *, now: datetime) -> int:
    """Deliver the seals that the anchor does not have; returns how many. The tick retries after a failure."""
    if target.startswith(("https://", "http://")):
        return await _post(session, target, now=now)
    return await _append(session, Path(target))


async def _append(session: AsyncSession, path: Path) -> int:
    """The file itself says how far it is, so a crash before the commit leaves no gap and no duplicate."""
    last = await asyncio.to_thread(_last_line, path)
    after = 0
    if last is not None:
        after = await _check_anchor(session, last, path.name)
    sent = 0
    while lines := await _lines(session, after):
        await asyncio.to_thread(_write, path, list(lines.values()))
        sent += len(lines)
        after = max(lines)
    return sent


async def _check_anchor(session: AsyncSession, last: Anchor, name: str) -> int:
    """The seal after which to continue; an error when the log and the anchor disagree."""
    own = await seals.list_seals(session, after=last.seal.no - 1, limit=1)
    if own and own[0].hash == last.seal.hash:
        return last.seal.no
    resealings = await seals.list_resealings(session)
    if find_loss_reason(last.seal.no, last.seal.era, resealings) is None:
        raise AnchorDisagrees(
            f"the anchor {name} ends with seal {last.seal.no}, which the log does not have: the log was cut, "
            "rewritten or restored. Run `hashinsight audit verify --anchor FILE`; if a backup was restored, then "
            "`hashinsight audit reseal --anchor FILE --reason TEXT`"
        )
    covering = (resealing.lost_from for resealing in resealings if last.seal.no >= resealing.lost_from)
    return int(min(covering)) - 1


async def find_lost_seals(session: AsyncSession, lines: Iterable[bytes]) -> LostSeals | None:
    """From which seal on the anchor and the log differ."""
    try:
        anchors = (read_anchor(line) for line in lines if line.strip() and not is_torn(line))
        anchored = {anchor.seal.no: AnchoredSeal(anchor.seal.hash, anchor.seal.era) for anchor in anchors}
    except ValueError:
        raise ValidationFailed("this is not an anchor file: it has lines that are not seals") from None
    own: dict[int, bytes] = {}
    for no in sorted(anchored):
        if no not in own:
            own = {seal.no: seal.hash for seal in await seals.list_seals(session, after=no - 1, limit=_SEALS)}
        if own.get(no) != anchored[no].hash:
            return LostSeals(no, max(seal.era for later, seal in anchored.items() if later >= no))
    return None


async def _post(session: AsyncSession, target: str, *, now: datetime) -> int:
    """At least once: a receiver may get a seal again and knows it by number and hash."""
    target_hash = hashlib.sha256(target.encode()).hexdigest()
    last = await seals.find_anchored(session, target_hash)
    after = 0 if last is None else await _check_anchor(session, read_anchor(last), "behind the webhook")
    lines = await _lines(session, after)
    if not lines:
        return 0
    body = f'{{"seals": [{", ".join(lines.values())}]}}'
    async with httpx.AsyncClient(timeout=_POST_SECONDS, follow_redirects=False) as client:
        response = await client.post(target, content=body, headers={"Content-Type": "application/json"})
    if not response.is_success:
        raise HashInsightError(f"the anchor's webhook returned {response.status_code}")
    await seals.update_anchored(session, target_hash, lines[max(lines)], now=now)
    return len(lines)


async def _lines(session: AsyncSession, after: int) -> dict[int, str]:
    return {line["no"]: json.dumps(line) for line in await list_anchor_lines(session, after=after, limit=_SEALS)}


async def list_anchor_lines(session: AsyncSession, *, after: int, limit: int) -> list[dict[str, Any]]:
    """Seals as lines of an anchor."""
    keys = await seals.list_public_keys(session)
    part = await seals.list_seals(session, after=after, limit=limit)
    for seal in part:
        if seal.key_id not in keys:
            raise Conflict(f"the key {seal.key_id} of seal {seal.no} is missing: run `hashinsight audit verify`")
    return [anchor_line(seal, keys[seal.key_id]) for seal in part]


def _last_line(path: Path) -> Anchor | None:
    """The last complete line. An incomplete one at the end, from a crash or a full disk, is written again."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            return read_anchor(line)
        except ValueError:
            continue
    if size:
        raise AnchorDisagrees(f"the anchor {path.name} ends with something that is not a seal: move it away")
    return None


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if file.tell() and not _ends_with_newline(path):
            file.write(b"\n")
        file.write(("\n".join(lines) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
