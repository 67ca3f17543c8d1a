-- A shop, for PostgreSQL.
CREATE TYPE order_status AS ENUM ('PENDING', 'SHIPPED', 'CANCELLED');

CREATE TABLE customers (
    id UUID PRIMARY KEY,
    email VARCHAR(200) NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE orders (
    id BIGSERIAL PRIMARY KEY,
    customer_id UUID NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    status order_status NOT NULL DEFAULT 'PENDING',
    total NUMERIC(12, 2) NOT NULL CHECK (total >= 0),
    note TEXT,
    tags TEXT[],
    place point,
    placed_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE order_items (
    order_id BIGINT NOT NULL,
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL DEFAULT 1,
    price NUMERIC NOT NULL,
    PRIMARY KEY (order_id, sku)
);

ALTER TABLE order_items ADD CONSTRAINT item_order FOREIGN KEY (order_id) REFERENCES orders (id);
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at DESC);
CREATE VIEW large_orders AS SELECT * FROM orders WHERE total > 100;
