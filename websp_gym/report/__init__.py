"""Reports for people: what happened in an episode and whether its score is right."""

from websp_gym.report.trajectory_view import trajectory_html, write_trajectory_html

__all__ = ["trajectory_html", "write_trajectory_html"]
