"""Run the `singletable` program in forks of a process that has already imported it, to save the imports of each start.

`python -m tests.cli.forked_program DESCRIPTOR` is that process: each request gets an exit code.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import socket
import subprocess
import sys
import traceback
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import NoReturn

SECONDS_MAX = 60
REQUEST_BYTES_MAX = 1 << 18


def run_forked(arguments: list[str], cwd: Path, env: dict[str, str], root: Path) -> subprocess.CompletedProcess[str]:
    """Run the program with these arguments in a new fork, and return its exit code and output."""
    request = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": env}).encode()
    assert len(request) < REQUEST_BYTES_MAX
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        connection = _connection(root)
        socket.send_fds(connection, [request], [stdout.fileno(), stderr.fileno()])
        code = connection.recv(16)
        assert code, "the process that forks the program has ended"
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, int(code), stdout.read().decode(), stderr.read().decode())


@cache
def _connection(root: Path) -> socket.socket:
    """Start the process that forks; it ends when this process closes the socket."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.cli.forked_program", str(there.fileno())]
    process = subprocess.Popen(
        command, cwd=root, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    there.close()
    here.settimeout(SECONDS_MAX)

    def end() -> None:
        here.close()
        process.wait(SECONDS_MAX)

    atexit.register(end)
    return here


def _answer_requests(connection: socket.socket) -> None:
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, REQUEST_BYTES_MAX, 2)
        if not request:
            return
        child = os.fork()
        if child == 0:
            _run(json.loads(request), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _run(request: dict[str, object], descriptors: list[int]) -> NoReturn:
    """Run the program in this process, as the installed script does, and exit."""
    for number, descriptor in enumerate(descriptors, 1):
        os.dup2(descriptor, number)
    code = 1
    try:
        os.chdir(str(request["cwd"]))
        os.environ.clear()
        os.environ.update(request["env"])  # type: ignore[call-overload]  # JSON has no types
        sys.argv = ["singletable", *request["arguments"]]  # type: ignore[misc]  # JSON has no types
        code = importlib.import_module("singletable.cli.main").main()
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    except BaseException:  # the interpreter reports an uncaught exception like this
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.path.remove(str(Path.cwd()))  # `-m` adds it; the installed script does not
    commands = importlib.import_module("singletable.cli.main")
    for name in commands.COMMANDS:
        importlib.import_module(f"singletable.cli.{commands.MODULES.get(name, name.replace('-', '_'))}")
    importlib.import_module("pydantic")
    _answer_requests(socket.socket(fileno=int(sys.argv[1])))
