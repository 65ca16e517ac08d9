"""The ways in: MCP, the command line, and the pages made from the declarations."""
