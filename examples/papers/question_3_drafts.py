"""Open question 3: do superseded drafts need a TTL? Compare the cost of their storage with the cost of deletion."""

from dataclasses import dataclass

from singletable import field, key
from singletable.planner.item_sizes import item_bytes

from ..measure import Cost, cost_of
from ..script import Script, fill
from .model import Membership, Paper, Papers, Topic
from .prices import ENTRY_BYTES, PRICES, WRITE_UNIT, storage_a_month
from .rows import ROWS, membership, topic
from .volume import paper

FAR = 4_102_444_800
"""The year 2100, so that nothing expires during the measurement."""
HANDLES, TOPICS = ("jon", "guest"), ("cost", "dynamodb", "caching")


@dataclass
class Draft:
    """A draft with its memberships and topics: its size, and the cost of deleting it."""

    stored_bytes: int
    superseded: Cost
    superseded_with_expiry: Cost
    deleted: Cost


def execute(table: Papers) -> Draft:
    entities = {Paper: 1, Membership: len(HANDLES), Topic: len(TOPICS)}
    sizes = {cls: item_bytes(Papers.design, Papers.design.entity_of(cls))[0] + ENTRY_BYTES for cls in entities}
    stored = sum(
        2 * count * sizes[cls] for cls, count in entities.items()
    )  # the table and one index contain each of these items
    with Papers.open("memory:") as papers:
        first, second = _draft(papers, 1), _draft(papers, 2)
        aside = field(Paper, lambda paper: paper.status).set("superseded")
        plainly = cost_of(papers, lambda: papers.update(key(Paper, id=first), aside))
        with_expiry = cost_of(papers, lambda: papers.supersede(second, FAR))
        return Draft(stored, plainly, with_expiry, cost_of(papers, lambda: _delete(papers, first)))


def _draft(papers: Papers, number: int) -> str:
    draft = paper(number, "Drafts")
    draft.status = "draft"
    members = [membership(draft, handle, "author") for handle in HANDLES]
    fill(papers, [draft, *members, *(topic(draft, name) for name in TOPICS)])
    return draft.id


def _delete(papers: Papers, id: str) -> None:
    for name in TOPICS:
        papers.delete(key(Topic, paper_id=id, topic=name))
    for handle in HANDLES:
        papers.delete(key(Membership, paper_id=id, handle=handle))
    papers.delete(key(Paper, id=id))


def show(draft: Draft) -> None:
    month = storage_a_month(draft.stored_bytes)
    by_hand = draft.deleted.write_units * WRITE_UNIT
    more = draft.superseded_with_expiry.write_units - draft.superseded.write_units
    print("A superseded draft of 1.2 KB, two authors, three topics      per 1,000 drafts")
    print(f"  stored in table and indexes, {draft.stored_bytes:,} bytes:{'':<16} ${1000 * month:.4f} a month")
    print(f"  deleted by hand, {draft.deleted.write_units:g} write units:{'':<25} ${1000 * by_hand:.4f} once")
    print(f"  expired by TTL, {more:g} write units beyond setting its status:  ${1000 * more * WRITE_UNIT:.4f}")
    print(f"Storage needs {by_hand / month:.0f} months to cost as much as a deletion by hand")
    print(f"A catalogue of 100,000 such papers without traffic: ${100_000 * month:.2f} a month, for storage only")
    print(PRICES)
    print("Answer: yes, but not to save storage, which is cheap. The write that marks a draft as superseded also")
    print("sets its expiry; the additional cost is the copy in each topic, which expires with the draft.")
    print("The deletion is free and needs no cleanup job, and listings no longer read and bill old drafts.")


SCRIPT = Script(Papers, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
