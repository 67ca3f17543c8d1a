"""The page of a project: one request reads the project and its tasks."""

from dataclasses import dataclass
from datetime import date

from ..script import Script
from .project_rows import ROWS
from .projects import Projects, Task

NEW = Task(tenant="acme", project_id="p2", id="t2", title="Paint it red", status="OPEN", due=date(2026, 5, 9))


@dataclass
class ProjectPage:
    """The projects of a tenant, and one of them with its tasks."""

    projects: list[str]
    name: str
    tasks: dict[str, str]


def execute(table: Projects) -> ProjectPage:
    table.add_task(NEW)
    done = table.set_status(NEW.tenant, NEW.project_id, NEW.id, "DONE")
    whole = table.project_with_tasks("acme", "p2")
    assert whole is not None
    table.delete(done)  # leave the table unchanged
    tasks = {task.title: task.status for task in whole.tasks}
    return ProjectPage([project.name for project in table.projects("acme")], whole.project.name, tasks)


def show(page: ProjectPage) -> None:
    print(f"Projects: {', '.join(page.projects)}")
    print(page.name)
    for title, status in page.tasks.items():
        print(f"  {status} {title}")


SCRIPT = Script(Projects, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
