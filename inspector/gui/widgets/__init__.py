"""Widgets that several views use; they know no view, no viewmodel and no service."""
