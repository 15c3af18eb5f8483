"""The error for a record that does not decide whether a policy was kept."""


class UndecidedError(Exception):
    """Raised while judging a policy by facts that do not decide it; its verdict is then ``error``."""
