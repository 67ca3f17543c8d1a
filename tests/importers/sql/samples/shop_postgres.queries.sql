-- name: GetCustomer :one
SELECT * FROM customers WHERE id = $1;

-- Orders of a customer, newest first.
SELECT * FROM orders WHERE customer_id = $1 ORDER BY placed_at DESC LIMIT 20;

-- Orders of a customer in a period
SELECT id, total FROM orders o WHERE o.customer_id = $1 AND o.placed_at BETWEEN $2 AND $3;

-- Pending orders since a moment
SELECT * FROM orders WHERE status = 'PENDING' AND placed_at > $1 ORDER BY placed_at OFFSET 5;

-- name: WholeOrder :many
SELECT * FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.id = $1;

-- Orders of a status with their customers
SELECT o.*, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = $1;

-- Revenue of a month
SELECT sum(total) FROM orders WHERE placed_at >= $1;

-- Customers by the beginning of the name
SELECT * FROM customers WHERE name LIKE 'A%' ORDER BY name;

-- Search customers
SELECT * FROM customers WHERE name LIKE '%x%';

-- Orders by price
SELECT * FROM orders WHERE customer_id = $1 ORDER BY total DESC;

-- Orders of some states
SELECT * FROM orders WHERE status IN ('PENDING', 'SHIPPED') AND total > 100;

-- Ship an order
UPDATE orders SET status = $2, note = NULL WHERE id = $1 AND status = 'PENDING';

-- Sell an item
UPDATE order_items SET quantity = quantity - $3 WHERE order_id = $1 AND sku = $2;

-- Close the orders of a customer
UPDATE orders SET status = $2 WHERE customer_id = $1;

-- Place an order
INSERT INTO orders (customer_id, total) VALUES ($1, $2);

-- Remove an item
DELETE FROM order_items WHERE order_id = %s AND sku = %s;

SELECT * FROM orders WHERE id = ? OR status = ?;

SELECT DISTINCT status FROM orders;

SELECT id FROM customers UNION SELECT customer_id FROM orders;

SELECT * FROM invoices WHERE id = ?;
