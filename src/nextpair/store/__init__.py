"""The journal where it is kept: in memory, in a file, in SQLite or in PostgreSQL. Behind one small protocol."""
