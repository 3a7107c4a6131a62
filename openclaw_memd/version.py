"""The version of the package; nothing else, so that the CLI can read it without importing anything."""

VERSION = "0.1.0"
