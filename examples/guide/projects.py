"""Projects of several tenants: every key begins with the tenant, so an IAM policy can separate the tenants."""

from datetime import date

from pydantic import BaseModel

from singletable import Page, Table, collection, entity, field, pattern, put, query, update


@entity(key=("TENANT#{tenant}#PROJECT#{id}", "PROJECT"), gsi1=("TENANT#{tenant}#PROJECTS", "{name}#{id}"))
class Project(BaseModel):
    """A project of a tenant."""

    tenant: str
    id: str
    name: str


@entity(
    key=("TENANT#{tenant}#PROJECT#{project_id}", "TASK#{id}"),
    gsi1=("TENANT#{tenant}#STATUS#{status}", "{due}#{id}"),
    expected_per_partition={"key": 40, "gsi1": 200},
)
class Task(BaseModel):
    """A task of a project; GSI1 lists the tasks of a tenant by status."""

    tenant: str
    project_id: str
    id: str
    title: str
    status: str
    due: date


class ProjectWithTasks(BaseModel):
    """The page of a project."""

    project: Project
    tasks: list[Task]


class Projects(Table, entities=[Project, Task]):
    """The access patterns of the projects; each of them reads or writes items of only one tenant."""

    @pattern(frequency="high", budget_ms=20)
    def project_with_tasks(self, tenant: str, project_id: str) -> ProjectWithTasks | None:
        """Get a project with its tasks."""
        return collection(ProjectWithTasks)

    @pattern(frequency="medium", budget_ms=20)
    def projects(self, tenant: str, *, limit: int = 20, cursor: str | None = None) -> Page[Project]:
        """List the projects of a tenant by name."""
        return query(Project)

    @pattern(frequency="high", budget_ms=20)
    def tasks_in_status(self, tenant: str, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Task]:
        """List the tasks of a tenant in one status, by due date."""
        return query(Task)

    @pattern(rate=5)
    def add_task(self, task: Task) -> Task:
        """Add a task to a project."""
        return put(Task)

    @pattern(rate=5)
    def set_status(self, tenant: str, project_id: str, id: str, status: str) -> Task:
        """Move a task to another status."""
        return update(Task, field(Task, lambda task: task.status).set(status))
