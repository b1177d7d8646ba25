"""Asking a judge: what is put to it, whom to ask and how, and every answer kept so that none is asked for twice."""
