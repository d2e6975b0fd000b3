"""Sources for the report: one folder for each framework in which a program may run."""
