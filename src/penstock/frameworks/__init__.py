"""Sources for the report: one room for each framework in which a program may run."""
