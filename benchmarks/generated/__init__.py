"""Settings pages made by chance, whose rows and fields come and go (part of ``make bench-replay``)."""
