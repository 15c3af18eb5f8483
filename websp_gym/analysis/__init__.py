"""What a recorded run in the sandbox tells: whether it did its task, and why not, by rules over state and record."""

from websp_gym.analysis.explain import explain, explained
from websp_gym.analysis.failures import failing_elements, failure_kinds
from websp_gym.analysis.kinds import KINDS, FailureKind
from websp_gym.analysis.truth import truth_of

__all__ = ["KINDS", "FailureKind", "explain", "explained", "failing_elements", "failure_kinds", "truth_of"]
