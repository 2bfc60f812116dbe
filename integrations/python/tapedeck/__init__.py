"""Sends the records of Python's logging to Tapedeck. Needs nothing but the standard library."""

from .handler import TapedeckHandler

__all__ = ["TapedeckHandler"]
