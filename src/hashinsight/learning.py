"""Labels, training and the registry of risk models."""
