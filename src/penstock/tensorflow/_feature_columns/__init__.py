"""Feature columns: how the features of examples become one row of numbers for each example."""
