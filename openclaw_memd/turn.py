"""Composes what one message brings along: ``inject.turn``."""
