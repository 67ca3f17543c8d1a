"""Read the open tasks of one tenant, under an IAM policy that denies every request for another tenant."""

from dataclasses import dataclass

from singletable import RequestRefused

from ..script import Script
from .project_rows import ROWS
from .projects import Projects


@dataclass
class Attempt:
    """The titles that a tenant's request returned, or the error code."""

    tenant: str
    titles: list[str]
    error: str | None = None


def execute(projects: Projects) -> list[Attempt]:
    return [_open_tasks(projects, tenant) for tenant in ("acme", "globex")]


def _open_tasks(projects: Projects, tenant: str) -> Attempt:
    try:
        return Attempt(tenant, [task.title for task in projects.tasks_in_status(tenant, "OPEN")])
    except RequestRefused as error:
        return Attempt(tenant, [], error.code)


def show(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        print(f"{attempt.tenant}: {attempt.error or ', '.join(attempt.titles)}")


SCRIPT = Script(Projects, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
