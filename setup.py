"""Builds the recorder's hot path in C where there is a compiler; elsewhere its Python definition runs."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("penstock.trace._hot", ["src/penstock/trace/_hot.c"], optional=True)])
