"""The SQLite file: connections, rows, tables, migrations, and checks before it is opened."""
