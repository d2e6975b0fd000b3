"""What a program did, as a path in a tree that all traces of the process share."""
