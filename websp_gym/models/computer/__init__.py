"""Models that use a computer by their provider's own tool."""
