"""Measuring: suites of instances, runs recorded line by line, and tables made from the lines."""
