"""The technical base. It has no business terms: no miner, no command, no problem."""
