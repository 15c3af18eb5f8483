"""HTML pages: the report, and one episode."""
