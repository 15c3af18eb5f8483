"""``python -m websp_gym`` is the command ``websp``."""

from websp_gym.cli import main

if __name__ == "__main__":
    main()
