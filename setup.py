"""Builds the recorder's hot path in C where there is a compiler; elsewhere its Python definition runs.

PENSTOCK_C=required makes a failure to build it an error, for wheels that are handed out.
"""

import os

from setuptools import Extension, setup

optional = os.environ.get("PENSTOCK_C") != "required"
setup(ext_modules=[Extension("penstock.trace._hot", ["src/penstock/trace/_hot.c"], optional=optional)])
