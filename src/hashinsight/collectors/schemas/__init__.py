"""Bodies and answers of the routes about collectors."""
