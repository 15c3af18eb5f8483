"""Reports for people: what happened in an episode, whether its score is right, and the tables of many."""

from websp_gym.report.pages.page import PageWritten, write_report_html
from websp_gym.report.pages.trajectory_view import trajectory_html, write_trajectory_html
from websp_gym.report.tables.build import Report, make_report, read_report

__all__ = [
    "PageWritten",
    "Report",
    "make_report",
    "read_report",
    "trajectory_html",
    "write_report_html",
    "write_trajectory_html",
]
