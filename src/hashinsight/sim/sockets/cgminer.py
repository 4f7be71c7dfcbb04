"""Answers of the cgminer API, on which the APIs of all makes are based."""

import json
from dataclasses import dataclass
from typing import Any

from hashinsight.sim.plan import Pool
from hashinsight.sim.sockets.machine import Machine, MachineReading

Body = dict[str, Any]
END = b"\0"  # real machines end an answer with it
DEFAULT_STRATUM_DIFFICULTY = 262_144
_encoder = json.JSONEncoder(separators=(",", ":"))


def body(section: str, rows: list[Body], state: Body) -> Body:
    return {"STATUS": [state], section: rows, "id": 1}


@dataclass(frozen=True)
class Firmware:
    """Answers of one firmware, which describes itself in each."""

    description: str  # may name the machine's {version}

    def _state(self, machine: Machine, letter: str, code: int, text: str) -> Body:
        description = self.description.format(version=machine.identity.version)
        when = int(machine.reading.at)
        return {"STATUS": letter, "When": when, "Code": code, "Msg": text, "Description": description}

    def reply(self, machine: Machine, code: int, text: str, section: str, rows: list[Body]) -> Body:
        return body(section, rows, self._state(machine, "S", code, text))

    def done(self, machine: Machine, code: int, text: str) -> Body:
        return {"STATUS": [self._state(machine, "S", code, text)], "id": 1}

    def fail(self, machine: Machine, code: int, text: str) -> Body:
        return {"STATUS": [self._state(machine, "E", code, text)], "id": 1}

    def pools(self, machine: Machine, _: str) -> Body:
        rows = pool_rows(machine.pools, machine.reading)
        return self.reply(machine, 7, f"{len(rows)} Pool(s)", "POOLS", rows)


def as_json(answer: Body) -> bytes:
    return _encoder.encode(answer).encode() + END


def joined_json(answers: dict[str, bytes]) -> bytes:
    """Joins answers that are already JSON."""
    parts = [
        _encoder.encode(name).encode() + b":[" + answer.removesuffix(END) + b"]" for name, answer in answers.items()
    ]
    return b"{" + b",".join((*parts, b'"id":1')) + b"}" + END


def as_text(answers: list[Body]) -> bytes:
    """Plain text form: sections end with `|`, fields are separated by commas."""
    parts = []
    for answer in answers:
        tables = answer if isinstance(answer.get("STATUS"), list) else {"STATUS": [answer]}
        for section, rows in tables.items():
            for row in rows if isinstance(rows, list) else []:
                named = ",".join(f"{name}={_plain(value)}" for name, value in row.items())
                parts.append(named if section == "STATUS" else f"{section},{named}")
    return ("|".join(parts) + "|").encode(errors="replace") + END


def _plain(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("|", "/").replace(",", ";")


def pool_rows(pools: tuple[Pool, ...], reading: MachineReading) -> list[Body]:
    """Shares are counted at the active pool; the others are alive, unless all are dead."""
    rows = []
    for no, pool in enumerate(pools):
        here = no == reading.pool
        rows.append(
            {
                "POOL": no,
                "URL": pool.url,
                "Status": "Dead" if reading.pool < 0 or no < reading.pool else "Alive",
                "Priority": no,
                "Quota": 1,
                "Long Poll": "N",
                "Getworks": 0,
                "Accepted": reading.accepted if here else 0,
                "Rejected": reading.rejected if here else 0,
                "Works": reading.accepted if here else 0,
                "Discarded": 0,
                "Stale": 0,
                "Get Failures": 0,
                "Remote Failures": 0,
                "User": pool.user,
                "Last Share Time": int(reading.at) if here and reading.hashing else 0,
                "Diff1 Shares": reading.accepted * DEFAULT_STRATUM_DIFFICULTY if here else 0,
                "Has Stratum": True,
                "Stratum Active": here and reading.hashing,
                "Stratum URL": pool.url.removeprefix("stratum+tcp://") if here else "",
                "Stratum Difficulty": float(DEFAULT_STRATUM_DIFFICULTY) if here else 0.0,
                "Has GBT": False,
                "Best Share": 0,
                "Pool Rejected%": _rejected_percent(reading) if here else 0.0,
                "Pool Stale%": 0.0,
            }
        )
    return rows


def _rejected_percent(reading: MachineReading) -> float:
    total = reading.accepted + reading.rejected
    return round(100 * reading.rejected / total, 4) if total else 0.0
