"""The contract between collectors and the cloud."""
