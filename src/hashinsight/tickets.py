"""Work for technicians."""
