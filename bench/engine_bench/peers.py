"""The measured servers: singletable and its peers, each installed into a cache folder with its package manager."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

OURS = "singletable"
INSTALL_SECONDS_MAX = 1800  # cargo compiles dynoxide for several minutes
JAVA_MIN = 17
# Versions are tried in this order until one can be installed, because a mirror may lack some dependencies of a version.
DYNAMODB_LOCAL_VERSIONS = ("[3.0,4.0)", "3.3.1", "3.1.0", "3.0.0")
DYNAMODB_LOCAL_MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"
DYNOXIDE_CRATE = "dynoxide-rs"
DYNOXIDE_VERSION = "^3.2"
EXTENDDB_PACKAGE = "@extenddb/linux-x64"
EXTENDDB_VERSION = "0.1.10"
# A write updates the indexes before the server responds (by default, 10 ms later). A new table is active at once.
EXTENDDB_SETTINGS = {"index_propagation_delay_ms": "0", "control_plane_delay_seconds": "0"}

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>software.amazon.dynamodb</groupId><artifactId>DynamoDBLocal</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""


class NotAvailable(Exception):
    """A server cannot be measured on this machine. The message says why."""


@dataclass(frozen=True)
class Credential:
    """An access key and its secret."""

    key_id: str
    secret: str


# The example credential of the AWS documentation, not a real one.
EXAMPLE_CREDENTIAL = Credential("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


@dataclass(frozen=True)
class Program:
    """The way to start a server: its command line for a port, and its environment variables.

    A server that verifies signatures has the credential for signing, and a path that answers unsigned GET requests when
    the server is ready.
    """

    version: str
    command: Callable[[int], list[str]]
    environment: Callable[[int], Mapping[str, str]] = field(default=lambda port: {})
    credential: Credential | None = None
    health_path: str | None = None


@dataclass(frozen=True)
class Peer:
    """A server: its name in the tables, and the function that installs it into a folder."""

    name: str
    install: Callable[[Path], Program]

    @property
    def slug(self) -> str:
        """The name on the command line: `dynamodb-local`."""
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True)
class DiskPeer:
    """A server with its data in a file: its name, and the function that installs it and creates the file."""

    name: str
    install: Callable[[Path, Path], Program]

    def with_data(self, data: Path) -> Peer:
        """Return the server with this data file."""
        return Peer(self.name, lambda folder: self.install(folder, data))


def singletable_program(data: Path, sync: str = "normal") -> Program:
    """Return `singletable serve` of this environment, with its data in a file."""
    program = Path(sys.executable).with_name(OURS)
    if not program.exists():
        raise NotAvailable("the singletable command is not installed with this Python; see `make bench`")
    if run_command([str(program), "serve", "--help"], Path.cwd()).returncode != 0:
        raise NotAvailable("the singletable command has no subcommand `serve`")
    command = [str(program), "serve", "--data", str(data), "--sync", sync, "--port"]
    return Program("on disk", lambda port: [*command, str(port)])


def install_dynalite(folder: Path) -> Program:
    """Install dynalite from npm. It stores its data in memory."""
    npm, node = find_program("npm"), find_program("node")
    main = folder / "node_modules" / "dynalite" / "cli.js"
    if not main.exists():
        run_or_raise([npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "dynalite"], folder)
    return Program(
        npm_version(main.parent) or "?",
        lambda port: [node, str(main), "--host", "127.0.0.1", "--port", str(port), "--createTableMs", "0"],
    )


def install_ministack(folder: Path) -> Program:
    """Install ministack from PyPI, with DynamoDB as its only service. It stores its data in memory."""
    python = install_from_pypi(folder, "ministack", "ministack")
    return Program(
        version_of(python, "ministack"),
        lambda port: [str(python), "-m", "ministack"],
        lambda port: {
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "LOG_LEVEL": "ERROR",
            "SERVICES": "dynamodb",
        },
    )


def install_moto(folder: Path) -> Program:
    """Install moto's server from PyPI. It stores its data in memory."""
    python = install_from_pypi(folder, "moto[server]", "moto")
    return Program(
        version_of(python, "moto"),
        lambda port: [str(python.with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)],
    )


def install_dynamodb_local(folder: Path) -> Program:
    """Install DynamoDB Local from Maven, if Java is recent enough. It stores its data in memory."""
    maven, java = find_program("mvn"), find_program("java")
    stated = run_command([java, "-version"], folder)
    found = re.search(r'version "(\d+)', stated.stdout + stated.stderr)
    if found is None or int(found[1]) < JAVA_MIN:
        raise NotAvailable(f"Java {JAVA_MIN} or newer is needed")
    libraries = folder / "lib"
    if not (folder / "resolved").exists():
        resolve_dynamodb_local(maven, folder, libraries)
    version = (folder / "resolved").read_text(encoding="utf-8")
    return Program(
        version,
        lambda port: [
            *(java, f"-Dsqlite4java.library.path={libraries}", "-cp", f"{libraries}/*", DYNAMODB_LOCAL_MAIN),
            *("-inMemory", "-port", str(port)),
        ],
        lambda port: {"DDB_LOCAL_TELEMETRY": "0"},
    )


def install_dynoxide(folder: Path, data: Path) -> Program:
    """Install dynoxide from crates.io, with a new SQLite file. It flushes every commit to disk."""
    program = folder / "bin" / "dynoxide"
    if not program.exists():
        cargo = find_program("cargo")
        options = ["--root", str(folder), "--version", DYNOXIDE_VERSION, DYNOXIDE_CRATE]
        run_or_raise([cargo, "install", *options], folder)
    # The program itself reports another version than its crate.
    installed = re.search(rf'"{DYNOXIDE_CRATE} ([^ ]+) ', (folder / ".crates.toml").read_text(encoding="utf-8"))
    return Program(
        installed[1] if installed else "?",
        lambda port: [str(program), "serve", "--db-path", str(data), "--port", str(port), "--log", "quiet"],
    )


def install_extenddb(folder: Path, data: Path) -> Program:
    """Install ExtendDB from npm, with a new SQLite file. It verifies signatures, and does not flush its commits."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise NotAvailable(f"{EXTENDDB_PACKAGE} needs Linux on x86_64")
    package = folder / "node_modules" / EXTENDDB_PACKAGE
    if npm_version(package) != EXTENDDB_VERSION:
        pinned = f"{EXTENDDB_PACKAGE}@{EXTENDDB_VERSION}"
        run_or_raise(
            [find_program("npm"), "install", "--prefix", str(folder), "--no-audit", "--no-fund", pinned], folder
        )
    program, settings = str(package / "extenddb"), str(data.with_suffix(".toml"))
    # It writes a TLS certificate below the home directory, which a server without TLS does not use.
    home = {"HOME": str(data.parent)}
    run_or_raise([program, "init", "--sqlite-path", str(data), "--config", settings], data.parent, home)
    for name, value in EXTENDDB_SETTINGS.items():
        run_or_raise([program, "settings", "--config", settings, "set", name, value], data.parent, home)
    return Program(
        EXTENDDB_VERSION,
        # Without --foreground, the server becomes a daemon.
        lambda port: [program, "serve", "--foreground", "--config", settings],
        lambda port: {
            "EXTENDDB__SERVER__BIND_ADDR": "127.0.0.1",
            "EXTENDDB__SERVER__PORT": str(port),
            "EXTENDDB__STORAGE__SQLITE__PATH": str(data),
            # The server accepts the credential of its environment. If there is none, it accepts the example credential.
            "AWS_ACCESS_KEY_ID": EXAMPLE_CREDENTIAL.key_id,
            "AWS_SECRET_ACCESS_KEY": EXAMPLE_CREDENTIAL.secret,
        },
        EXAMPLE_CREDENTIAL,
        "/health",
    )


def npm_version(package: Path) -> str | None:
    """Return the version of an installed npm package. Return None if it is not installed."""
    manifest = package / "package.json"
    if not manifest.exists():
        return None
    version = re.search(r'"version": "([^"]+)"', manifest.read_text(encoding="utf-8"))
    return version[1] if version else None


def resolve_dynamodb_local(maven: str, folder: Path, libraries: Path) -> None:
    """Copy the newest DynamoDB Local that can be installed, with its dependencies, and record its version."""
    # Native libraries are found by their names without a version, so strip the version from every name.
    goal = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"
    options = [f"-DoutputDirectory={libraries}", "-DincludeScope=runtime", "-Dmdep.stripVersion=true"]
    for version in DYNAMODB_LOCAL_VERSIONS:
        shutil.rmtree(libraries, ignore_errors=True)
        (folder / "pom.xml").write_text(_POM.format(version=version), encoding="utf-8")
        finished = run_command([maven, "-q", "-B", goal, *options], folder)
        jar = libraries / "DynamoDBLocal.jar"
        if finished.returncode == 0 and jar.exists():
            (folder / "resolved").write_text(version_of_dynamodb_local(maven, folder, version), encoding="utf-8")
            return
    raise NotAvailable(f"mvn: {error_line(finished)}")


def version_of_dynamodb_local(maven: str, folder: Path, requested: str) -> str:
    """Return the version that was copied. For a range of versions, look it up."""
    if not requested.startswith("["):
        return requested
    listed = run_command([maven, "-B", "org.apache.maven.plugins:maven-dependency-plugin:list"], folder).stdout
    found = re.search(r":DynamoDBLocal:jar:([^:]+):", listed)
    return found[1] if found else requested


PEERS = (
    Peer("dynalite", install_dynalite),
    Peer("ministack", install_ministack),
    Peer("moto", install_moto),
    Peer("DynamoDB Local", install_dynamodb_local),
)
DISK_PEERS = (DiskPeer("dynoxide", install_dynoxide), DiskPeer("ExtendDB", install_extenddb))


def install_from_pypi(folder: Path, requirement: str, module: str) -> Path:
    """Install a package into its own virtual environment and return the Python of the environment."""
    python = folder / "bin" / "python"
    if not python.exists() or run_command([str(python), "-c", f"import {module}"], folder).returncode != 0:
        run_or_raise([sys.executable, "-m", "venv", "--clear", str(folder)], folder)
        run_or_raise([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement], folder)
    return python


def version_of(python: Path, package: str) -> str:
    """Return the version of a package in an environment."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return run_command([str(python), "-c", code], python.parent).stdout.strip()


def find_program(program: str) -> str:
    """Return the path of a program, or raise NotAvailable."""
    found = shutil.which(program)
    if found is None:
        raise NotAvailable(f"{program} is not installed")
    return found


def run_command(
    command: list[str], folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command, with variables added to its environment, and return its result even if it fails."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | dict(variables or {})
    return subprocess.run(  # noqa: S603 - the commands are those of this module
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALL_SECONDS_MAX,
    )


def run_or_raise(command: list[str], folder: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a command. Raise NotAvailable if it fails."""
    finished = run_command(command, folder, variables)
    if finished.returncode != 0:
        raise NotAvailable(f"{Path(command[0]).name}: {error_line(finished)}")


def error_line(finished: subprocess.CompletedProcess[str]) -> str:
    """Return the output line that best explains why a command failed."""
    lines = [line.strip() for line in (finished.stdout + finished.stderr).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"exit status {finished.returncode}"])[0][:200]
