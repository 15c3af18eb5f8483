"""Measuring a judge's error against known truth."""
