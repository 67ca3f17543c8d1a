"""A catalogue of papers: papers, authors, memberships and topics, with one overloaded and one sparse index."""

TOUR = (
    "paper",
    "papers_in_series",
    "papers_by_author",
    "papers_with_topic",
    "author",
    "paper_with_authors",
    "rename_paper",
    "expired_draft",
    "question_1_author_volume",
    "question_2_topics",
    "question_3_drafts",
)
"""The scripts, in reading order; the questions are the open questions of the paper."""
