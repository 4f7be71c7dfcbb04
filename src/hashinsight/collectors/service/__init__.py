"""What is done with collectors, one function a verb; each leaves its audit entry in the caller's transaction."""
