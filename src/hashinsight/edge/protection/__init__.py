"""Local protection: stops a machine at its temperature limit without the cloud."""
