"""Commands in the metrics: how many went out, and what became of acks."""

from prometheus_client import Counter

LEASED = Counter("hashinsight_commands_leased_total", "Commands handed to collectors, again or for the first time")
ACKS = Counter("hashinsight_command_acks_total", "Acks of collectors by what they did", ["outcome"])
