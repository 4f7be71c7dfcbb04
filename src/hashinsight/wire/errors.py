"""What is wrong with a message, by a stable code. Whoever received it chooses the answer."""


class MalformedMessage(ValueError):
    """`str()` says what is wrong and repeats nothing of what was sent."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code
