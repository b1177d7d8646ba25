"""Child processes: programs that speak JSON lines, pools of them, and the plain parallel map."""
