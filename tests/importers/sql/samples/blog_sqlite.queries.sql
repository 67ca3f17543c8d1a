SELECT * FROM posts WHERE author_id = :author AND published_on IS NOT NULL ORDER BY published_on DESC;
SELECT * FROM posts WHERE published_on IS NULL;
SELECT * FROM authors WHERE is_admin;
SELECT * FROM authors WHERE lower(handle) = ?;
SELECT * FROM post_tags WHERE tag = ?;
SELECT * FROM posts WHERE slug = ? AND state <> 'draft';
INSERT INTO post_tags (slug, tag) VALUES (?, ?) ON CONFLICT DO NOTHING;
SELECT * FROM posts;
