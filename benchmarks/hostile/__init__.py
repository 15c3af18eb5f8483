"""Pages that change the way real ones do, and the tools that are compared on them (``make bench-replay``)."""
