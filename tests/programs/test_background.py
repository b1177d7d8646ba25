"""A loop in a thread of its own."""

import subprocess
import sys

SHORT = """
import gc, os, resource
from audiometry.programs.background import Background
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
held = []
try:
    while True: held.append(os.open(os.devnull, os.O_RDONLY))
except OSError: pass
for free in range(6):
    try:
        Background().stop()
        print("a loop with", free)
        break
    except OSError as short: print(short.strerror)
    gc.collect()
    os.close(held.pop())
"""


def test_a_loop_for_which_no_files_are_left_is_one_error_and_no_more():
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True, check=True)
    *short, made = done.stdout.splitlines()
    assert (set(short), made, done.stderr) == ({"Too many open files"}, f"a loop with {len(short)}", "")
