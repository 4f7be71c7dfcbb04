"""Both words of a command: its type, and the verb by which collectors in the field know it."""

from types import MappingProxyType

# the verb follows from the type, so a signature over the type covers it
VERBS = MappingProxyType(
    {
        "reboot_device": "reboot",
        "restart_mining": "restart",
        "disable_hashing": "disable",
        "enable_hashing": "enable",
        "set_pool": "set_pool",
        "set_frequency": "set_frequency",
        "set_fan": "set_fan",
        "set_power_limit": "set_power_limit",
        "set_power_mode": "set_power_mode",
        "fault_light": "fault_light",
        "update_config": "update_config",
    }
)
TYPES = MappingProxyType({verb: command_type for command_type, verb in VERBS.items()})
