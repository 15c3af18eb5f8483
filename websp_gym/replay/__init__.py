"""Recorded traces: their format, locating recorded elements, and replaying events."""

from websp_gym.replay.locate import Found, NotFound, RungReport, locate
from websp_gym.replay.player import replay
from websp_gym.replay.report import EventReport, ReplayReport
from websp_gym.replay.trace import Fingerprint, Trace, TraceEvent, fill, json_schema
from websp_gym.replay.trace_files import load_trace, save_trace

__all__ = [
    "EventReport",
    "Fingerprint",
    "Found",
    "NotFound",
    "ReplayReport",
    "RungReport",
    "Trace",
    "TraceEvent",
    "fill",
    "json_schema",
    "load_trace",
    "locate",
    "replay",
    "save_trace",
]
