"""Diagnoses: rules over the observations of a check, never over the source of a particular program."""
