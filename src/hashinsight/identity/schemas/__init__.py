"""Bodies and answers of the routes, one file a subject."""
