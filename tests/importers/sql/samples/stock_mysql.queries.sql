-- Stock of a warehouse
SELECT * FROM stock WHERE warehouse_code = %(code)s AND sku >= %(first)s AND sku <= %(last)s;
-- Warehouse with its stock
SELECT * FROM Warehouses LEFT JOIN stock ON stock.warehouse_code = Warehouses.code WHERE stock.warehouse_code = %s;
