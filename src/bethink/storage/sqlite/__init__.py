"""The store of one SQLite file: the standard library's driver, no loadable extension."""
