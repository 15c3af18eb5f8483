"""Reports: the tables of any number of runs, and HTML pages of runs and episodes."""

from websp_gym.report.frame import runs_frame
from websp_gym.report.pages.page import PageWritten, write_report_html
from websp_gym.report.pages.trajectory_view import trajectory_html, write_trajectory_html
from websp_gym.report.tables.build import Report, make_report, read_report

__all__ = [
    "PageWritten",
    "Report",
    "make_report",
    "read_report",
    "runs_frame",
    "trajectory_html",
    "write_report_html",
    "write_trajectory_html",
]
