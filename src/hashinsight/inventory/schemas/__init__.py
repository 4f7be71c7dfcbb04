"""Bodies and answers of the routes, one file a subject."""

from pydantic import ConfigDict

from hashinsight.kit.web import bodies


class Body(bodies.Body):
    """A request's body: unknown fields are errors, numbers are finite, texts are stripped."""

    model_config = ConfigDict(allow_inf_nan=False, str_strip_whitespace=True)
