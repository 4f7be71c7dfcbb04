"""The collector program at a site: reads machines, spools, pushes, pulls and executes."""
