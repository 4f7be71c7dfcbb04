"""Which protocol a machine speaks, by its maker and firmware."""

from hashinsight.facts.models import MinerModel
from hashinsight.facts.temperatures import FirmwareFamily, firmware_family
from hashinsight.sim.sockets import antminer_stock, avalon, luxos, whatsminer
from hashinsight.sim.sockets.machine import Dialect

_BY_MAKE: dict[str, Dialect] = {"MicroBT": whatsminer.answer, "Canaan": avalon.answer}


def dialect_of(model: MinerModel, firmware: str) -> Dialect:
    """Firmwares whose own protocol is not spoken here answer as the maker's, which all of them imitate on this port."""
    if model.make in _BY_MAKE:
        return _BY_MAKE[model.make]
    return luxos.answer if firmware_family(firmware) is FirmwareFamily.LUXOS else antminer_stock.answer
