"""The error of a record that does not tell whether a policy was kept."""


class UndecidedError(Exception):
    """Raised while a policy is judged by facts that do not decide it; its verdict is then ``error``."""
