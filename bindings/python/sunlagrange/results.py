# SPDX-License-Identifier: BSD-3-Clause
"""The classes of results of runs and analyses; help(sunlagrange.results.Kinematics) lists fields, units and meaning."""

from ._results import classes as _classes

globals().update(_classes)
__all__ = list(_classes)
