"""Asking for battles: both models at the same time, and what they said let out so that nothing tells them apart."""
