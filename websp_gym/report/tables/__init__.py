"""The paper's tables, computed from the results of any runs."""
