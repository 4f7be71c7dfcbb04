"""All SQL of commands. A move is one guarded statement that writes its row of history as well."""
