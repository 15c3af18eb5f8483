"""What an agent sees: marks, screenshots, BrowserGym's keys."""

from websp_gym.observation.camera import Camera
from websp_gym.observation.draw import draw_marks
from websp_gym.observation.marks import Mark, Marks, collect_marks, frame_origin, marks_from_dicts, to_page

__all__ = [
    "Camera",
    "Mark",
    "Marks",
    "collect_marks",
    "draw_marks",
    "frame_origin",
    "marks_from_dicts",
    "to_page",
]
