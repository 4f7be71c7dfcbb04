"""The technical base. It knows no business word: no miner, no command, no problem."""
