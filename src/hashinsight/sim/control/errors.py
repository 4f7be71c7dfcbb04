"""How the control API says no."""


class BadRequest(Exception):
    """`code` is stable: BAD_REQUEST (not our protocol), INVALID, NOT_FOUND, REFUSED."""

    def __init__(self, said: str, *, code: str = "BAD_REQUEST") -> None:
        super().__init__(said)
        self.code = code
