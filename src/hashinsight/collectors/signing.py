"""Keys by which the commands of a collector are signed: the whole feature in one folder."""
