"""The paper's tables from the results of any runs."""
