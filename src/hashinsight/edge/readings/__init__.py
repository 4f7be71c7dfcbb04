"""What a machine reports, turned into one sample: by make, by sensor, in our units."""
