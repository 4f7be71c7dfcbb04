"""Acts on problems, one file a verb."""
