"""The live world on real applications of others, each with its own database. `make test-live` installs and runs them."""
