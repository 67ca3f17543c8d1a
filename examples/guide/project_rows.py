"""Projects and tasks of two tenants; both tenants use the same IDs."""

from datetime import date

from .projects import Project, Task

ROWS = [
    Project(tenant="acme", id="p1", name="Rocket skates"),
    Project(tenant="acme", id="p2", name="Giant magnet"),
    Project(tenant="globex", id="p1", name="Weather machine"),
    Task(tenant="acme", project_id="p1", id="t1", title="Order fuel", status="OPEN", due=date(2026, 5, 4)),
    Task(tenant="acme", project_id="p1", id="t2", title="Test the brakes", status="OPEN", due=date(2026, 5, 2)),
    Task(tenant="acme", project_id="p2", id="t1", title="Wind the coil", status="DONE", due=date(2026, 4, 20)),
    Task(tenant="globex", project_id="p1", id="t1", title="Rent a volcano", status="OPEN", due=date(2026, 5, 1)),
]
