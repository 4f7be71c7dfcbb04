"""What is done with collectors, one function per verb; each writes its audit entry in the caller's transaction."""
