"""The judgement of an import, pure: read the file, judge each line, compare with what is there."""
