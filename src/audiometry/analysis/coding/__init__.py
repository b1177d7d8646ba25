"""Texts coded by a code book: by its rules, by a judge, and held against a labelled sample."""
