"""Test pages that change as real ones do, and the tools compared on them (``make bench-replay``)."""
