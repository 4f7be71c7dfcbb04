"""How a site is named: by its integer id, or by its code, which keeps its case and matches without it. Pure."""

import string

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold_code(code: str) -> str:
    """The form in which codes are compared. ASCII alone, as the database's `lower(code collate "C")` does it."""
    return code.translate(_LOWER)


def matches_site(named: str, *, site_id: int, code: str) -> bool:
    """Digits alone are an id, and no site's code is made of them."""
    return fold_code(named) == fold_code(code) or named == str(site_id)
