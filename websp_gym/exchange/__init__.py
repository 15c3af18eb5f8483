"""Runs for and from elsewhere: submissions, packed and verified, and episodes that other harnesses played."""
