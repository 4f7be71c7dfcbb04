"""Seals on their way out: appended to a file or posted to an address that the operator of the installation chose."""

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

from hashinsight.audit.anchors import AnchoredSeal, LostSeals, is_torn, why_lost
from hashinsight.audit.chain import Anchor, anchor_line, read_anchor
from hashinsight.audit.queries import seals
from hashinsight.kit.errors import Conflict, HashInsightError, ValidationFailed

_AT_A_TIME = 500
_TAIL_BYTES = 1_000_000  # a line names every transaction that was running: thousands of them fit
_POST_SECONDS = 15.0


class AnchorDisagrees(HashInsightError):
    """The outside knows another history than the log tells: somebody must look before more is added to it."""


async def deliver_seals(session: AsyncSession, target: str, *, now: datetime) -> int:
    """Tell the outside every seal that it does not know yet; says how many. A failure is tried again by the tick."""
    if target.startswith(("https://", "http://")):
        return await _post(session, target, now=now)
    return await _append(session, Path(target))


async def _append(session: AsyncSession, path: Path) -> int:
    """The file itself says how far it is, so a crash between writing and committing leaves no gap and no double."""
    last = await asyncio.to_thread(_last_line, path)
    after = 0
    if last is not None:
        after = await _agree(session, last, path.name)
    sent = 0
    while lines := await _lines(session, after):
        await asyncio.to_thread(_write, path, list(lines.values()))
        sent += len(lines)
        after = max(lines)
    return sent


async def _agree(session: AsyncSession, last: Anchor, name: str) -> int:
    """From which seal on the outside is told more; refused when the log tells another history than it knows."""
    here = await seals.list_seals(session, after=last.seal.no - 1, limit=1)
    if here and here[0].hash == last.seal.hash:
        return last.seal.no
    resealings = await seals.list_resealings(session)
    if why_lost(last.seal.no, last.seal.era, resealings) is None:
        raise AnchorDisagrees(
            f"the anchor {name} ends with seal {last.seal.no}, which the log does not have: the log was cut, "
            "rewritten or restored. Run `hashinsight audit verify --anchor FILE`, then, if a backup was restored, "
            "`hashinsight audit reseal --anchor FILE --reason TEXT`"
        )
    return int(min(told.lost_from for told in resealings if last.seal.no >= told.lost_from)) - 1


async def find_lost_seals(session: AsyncSession, lines: Iterable[bytes]) -> LostSeals | None:
    """What an anchor knows and the log does not have, or has otherwise."""
    try:
        whole = (read_anchor(line) for line in lines if line.strip() and not is_torn(line))
        known = {one.seal.no: AnchoredSeal(one.seal.hash, one.seal.era) for one in whole}
    except ValueError:
        raise ValidationFailed("this is not a file of seals") from None
    here: dict[int, bytes] = {}
    for no in sorted(known):
        if no not in here:
            here = {seal.no: seal.hash for seal in await seals.list_seals(session, after=no - 1, limit=_AT_A_TIME)}
        if here.get(no) != known[no].hash:
            return LostSeals(no, max(kept.era for later, kept in known.items() if later >= no))
    return None


async def _post(session: AsyncSession, target: str, *, now: datetime) -> int:
    """At least once: a receiver may be told a seal again, and knows it by its number and hash."""
    mark = hashlib.sha256(target.encode()).hexdigest()
    told = await seals.find_anchored(session, mark)
    after = 0 if told is None else await _agree(session, read_anchor(told), "behind the webhook")
    lines = await _lines(session, after)
    if not lines:
        return 0
    body = f'{{"seals": [{", ".join(lines.values())}]}}'
    async with httpx.AsyncClient(timeout=_POST_SECONDS, follow_redirects=False) as client:
        answer = await client.post(target, content=body, headers={"Content-Type": "application/json"})
    if not answer.is_success:
        raise HashInsightError(f"the anchor's webhook answered {answer.status_code}")
    await seals.move_anchored(session, mark, lines[max(lines)], now=now)
    return len(lines)


async def _lines(session: AsyncSession, after: int) -> dict[int, str]:
    return {one["no"]: json.dumps(one) for one in await list_anchor_lines(session, after=after, limit=_AT_A_TIME)}


async def list_anchor_lines(session: AsyncSession, *, after: int, limit: int) -> list[dict[str, Any]]:
    """Seals as the lines of an anchor say them."""
    keys = await seals.list_public_keys(session)
    found = await seals.list_seals(session, after=after, limit=limit)
    for seal in found:
        if seal.key_id not in keys:
            raise Conflict(f"the key {seal.key_id} of seal {seal.no} is gone: run `hashinsight audit verify`")
    return [anchor_line(seal, keys[seal.key_id]) for seal in found]


def _last_line(path: Path) -> Anchor | None:
    """The last whole line. A torn one at the end, from a crash or a full disk, is written again."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            whole = file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return None
    for line in reversed(whole):
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
        if file.tell() and not _ends_whole(path):
            file.write(b"\n")
        file.write(("\n".join(lines) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
