"""Many episodes over processes: retries, resuming, rescoring."""
