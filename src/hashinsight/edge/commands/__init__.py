"""Execution of commands at the site."""
