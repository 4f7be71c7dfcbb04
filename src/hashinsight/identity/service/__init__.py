"""One function per action; one file per subject."""
