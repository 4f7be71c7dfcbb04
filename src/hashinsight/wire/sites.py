"""Site names on the wire: the integer id, or the code, which is compared without case. Pure."""

import string

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold_code(code: str) -> str:
    """A code in the form for comparison: only ASCII is lowered, like `lower(code collate "C")` in the database."""
    return code.translate(_LOWER)


def matches_site(name: str, *, site_id: int, code: str) -> bool:
    """Digits alone are always an id; no site code consists of digits."""
    return fold_code(name) == fold_code(code) or name == str(site_id)
