"""Reports of a check: as text for people, as data for programs."""
