"""Local protection: stops machines that are too hot, without the cloud."""
