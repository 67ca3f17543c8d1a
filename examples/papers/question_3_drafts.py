"""Open question 3, is a TTL warranted for superseded drafts: what they cost as they lie, and what ending it costs."""

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
"""The year 2100: nothing expires while it is measured."""
HANDLES, TOPICS = ("jon", "guest"), ("cost", "dynamodb", "caching")


@dataclass
class Draft:
    """A draft with its memberships and topics: how large, and what its end costs."""

    stored_bytes: int
    superseded: Cost
    superseded_with_expiry: Cost
    deleted: Cost


def ask(table: Papers) -> Draft:
    entities = {Paper: 1, Membership: len(HANDLES), Topic: len(TOPICS)}
    sizes = {cls: item_bytes(Papers.design, Papers.design.entity_of(cls))[0] + ENTRY_BYTES for cls in entities}
    stored = sum(2 * count * sizes[cls] for cls, count in entities.items())  # each is in the table and in one index
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


def tell(draft: Draft) -> None:
    month = storage_a_month(draft.stored_bytes)
    by_hand = draft.deleted.write_units * WRITE_UNIT
    more = draft.superseded_with_expiry.write_units - draft.superseded.write_units
    print("A superseded draft of 1.2 KB, two authors, three topics      per 1,000 drafts")
    print(f"  lies in table and indexes, {draft.stored_bytes:,} bytes:{'':<15} ${1000 * month:.4f} a month")
    print(f"  is deleted by hand, {draft.deleted.write_units:g} write units:{'':<19} ${1000 * by_hand:.4f} once")
    print(f"  goes by TTL, {more:g} write units beyond setting its status:  ${1000 * more * WRITE_UNIT:.4f}")
    print(f"Storage takes {by_hand / month:.0f} months to cost what a deletion by hand does")
    print(
        f"A whole catalogue of 100,000 such papers, idle: ${100_000 * month:.2f} a month for storage, and nothing else"
    )
    print(PRICES)
    print("Answer: yes, though not for the bytes, which cost next to nothing. The write that supersedes a draft")
    print("sets the time too; what it costs more is the copy in each topic, so that all of the draft goes.")
    print("The deletion is free, needs no job that looks for drafts, and listings no longer read and bill them.")


SCRIPT = Script(Papers, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
