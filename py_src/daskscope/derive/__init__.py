"""Computes figures, findings and profiles from a recording; must not know sessions or pages."""
