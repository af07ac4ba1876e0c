"""The error of a template, apart from the sandbox, which imports Jinja."""


class TemplateFailed(Exception):
    """A template did not render. The message has the reason, and no value of the payload."""
