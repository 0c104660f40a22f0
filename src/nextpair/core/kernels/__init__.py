"""Compiled inner loops. Everything here needs numba: import a room of it only where it is used."""
