"""Measuring a judge against known truth: labels, made-up runs, figures with intervals, causes of failures."""
