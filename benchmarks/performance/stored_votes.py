"""A board of 1,000,000 votes that an arena stored in PostgreSQL: whole processes, from start to exit."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from processes import HERE, run
from sections import AUDIOMETRY, Row, Settings

from audiometry.arena.store.store import Store

BOARD = "import pathlib, sys; from audiometry.arena.server.board import document; document(sys.argv[1], pathlib.Path())"


def stored_votes(settings: Settings) -> list[Row]:
    """Time and CPU of the board that a server makes in the background, and of the command; none without PostgreSQL."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    beside = [one for folder in folders for one in folder.parent.glob("lib/postgresql/*/bin")]
    initdb = shutil.which("initdb", path=os.pathsep.join(map(str, (*folders, *beside))))
    if initdb is None:
        return []
    rows = []
    with server(Path(initdb).resolve().parent) as url:
        filled(url)
        for what, command in (
            ("the board in the background", [sys.executable, "-c", BOARD, url]),
            ("arena rank --db", [AUDIOMETRY, "arena", "rank", "--db", url, "--json"]),
        ):
            used = [run(command) for _ in range(settings.repeats)]
            rows.append(Row(f"1,000,000 stored votes: {what}", min(one.wall_s for one in used), "s", 5.0))
            rows.append(Row("the same, CPU without the database's", min(one.cpu_s for one in used), "s"))
            rows.append(Row("the same, peak memory", max(one.peak_mb for one in used), "MB"))
    return rows


def filled(url: str) -> None:
    """Fill a new database."""
    store = Store.open(url, Path())
    for n in range(40):
        store.contestant(f"model-{n}")
    with store.database.writing() as connection:
        driver = connection.connection.driver_connection
        driver.execute((HERE / "stored_votes.sql").read_text(encoding="utf-8"))
    store.close()


@contextlib.contextmanager
def server(programs: Path) -> Iterator[str]:
    """PostgreSQL, as another user where root runs this; it waits for no disk, so that filling is quick."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if other:
            shutil.chown(folder, "nobody")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        data, options = f"{folder}/data", f"-p {port} -k {folder} -h 127.0.0.1 -c fsync=off -c max_wal_size=4GB"
        for command in (
            [programs / "initdb", "-D", data, "-U", "arena", "-A", "trust", "-E", "UTF8", "--no-sync"],
            [programs / "pg_ctl", "-D", data, "-l", f"{folder}/log", "-w", "-o", options, "start"],
        ):
            subprocess.run([*other, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            yield f"postgresql://arena@127.0.0.1:{port}/postgres"
        finally:
            stop = [programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
            subprocess.run([*other, *stop], check=True, cwd=folder, stdout=subprocess.DEVNULL)
