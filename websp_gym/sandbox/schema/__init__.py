"""What a site is: its settings, panels, pages, effects and state, checked as it is loaded."""
