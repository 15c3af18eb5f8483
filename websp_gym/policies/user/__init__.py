"""The user who can be asked: simulated, a language model, or a person at the keyboard."""
