"""Diagnoses: rules over what a check has seen, never over what a particular program looks like."""
