"""Run as a program: the field's own library looks at a simulated range and says in JSON what it found and did.

A process of its own, because the library has been seen to abort when an interpreter ends.
"""

import asyncio
import json
import os
import sys
from typing import Any

import pyasic_rs


async def main(net: str, machines: int, commanded: int | None) -> dict[str, Any]:
    answering = await pyasic_rs.MinerFactory.from_range(f"{net}.0.1-{machines}").scan()
    miners = {str(miner.ip): miner for miner in answering}
    if commanded is not None:
        return await command(miners[f"{net}.0.{commanded + 1}"])
    readings: dict[str, Any] = {}
    for ip, miner in miners.items():
        readings[ip] = json.loads(json.dumps((await miner.get_data()).model_dump(), default=str))
        readings[ip]["supports"] = [
            name for name in dir(miner) if name.startswith("supports_") and getattr(miner, name)
        ]
    return readings


async def command(miner: Any) -> dict[str, Any]:
    """Pauses, waits until the machine shows it, resumes; then the rest of what this make takes."""
    done: dict[str, Any] = {"pause": await miner.pause()}
    done["watts_paused"] = await watts(miner, low=True)
    done["ths_paused"] = (await miner.get_hashrate()).value
    done["mining_paused"] = await miner.get_is_mining()
    done["resume"] = await miner.resume()
    done["watts_resumed"] = await watts(miner, low=False)
    done["light"] = await miner.set_fault_light(True)
    done["light_seen"] = await light(miner)
    if miner.supports_set_power_limit and miner.supports_tuning_config:
        done["limit"] = await miner.set_power_limit(3000.0)
        low = pyasic_rs.TuningConfig.mode(pyasic_rs.data.MiningMode.Low)
        done["mode"] = await miner.set_tuning_config(low)
    if miner.supports_pools_config:
        pool = pyasic_rs.Pool(url="stratum+tcp://new.example:3333", username="me", password="x")
        done["pools"] = await miner.set_pools_config([pyasic_rs.PoolGroup(name="one", quota=1, pools=[pool])])
        done["pools_seen"] = [str(pool.url.host) for group in await miner.get_pools() for pool in group.pools]
        done["restart"] = await miner.restart()
    return done


async def light(miner: Any) -> bool:
    for _ in range(600):
        if await miner.get_light_flashing():
            return True
        await asyncio.sleep(0.1)
    return False


async def watts(miner: Any, *, low: bool) -> float:
    for _ in range(600):
        now = await miner.get_wattage()
        if now is not None and (now < 300) == low:
            return float(now)
        await asyncio.sleep(0.1)
    return -1.0


if __name__ == "__main__":
    which = int(sys.argv[3]) if sys.argv[3:] else None
    sys.stdout.write(json.dumps(asyncio.run(main(sys.argv[1], int(sys.argv[2]), which))))
    sys.stdout.flush()
    os._exit(0)
