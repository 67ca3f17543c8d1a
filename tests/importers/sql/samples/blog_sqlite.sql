PRAGMA foreign_keys = ON;
CREATE TABLE authors (
    author_id INTEGER PRIMARY KEY AUTOINCREMENT,
    handle TEXT NOT NULL UNIQUE COLLATE NOCASE,
    is_admin BOOLEAN NOT NULL DEFAULT 0,
    score REAL DEFAULT -1.5
);
CREATE TABLE posts (
    slug TEXT NOT NULL PRIMARY KEY,
    author_id INTEGER NOT NULL REFERENCES authors,
    state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'public')),
    published_on DATE,
    body BLOB,
    "class" TEXT
) WITHOUT ROWID;
CREATE TABLE post_tags (
    slug TEXT NOT NULL REFERENCES posts (slug),
    tag TEXT NOT NULL,
    UNIQUE (tag, slug)
);
CREATE UNIQUE INDEX one_title ON posts (author_id, published_on);
CREATE TRIGGER touch AFTER INSERT ON posts BEGIN SELECT 1; END;
