CREATE TABLE `Warehouses` (
  `code` CHAR(4) NOT NULL,
  `kind` ENUM('HUB', 'SPOKE') NOT NULL DEFAULT 'HUB',
  `open` TINYINT(1) NOT NULL DEFAULT 1,
  `opened` DATETIME DEFAULT CURRENT_TIMESTAMP,
  `details` JSON,
  PRIMARY KEY (`code`),
  KEY `by_kind` (`kind`)
) ENGINE=InnoDB;
CREATE TABLE `stock` (
  `warehouse_code` CHAR(4) NOT NULL,
  `sku` VARCHAR(30) NOT NULL,
  `amount` INT UNSIGNED NOT NULL,
  PRIMARY KEY (`warehouse_code`, `sku`),
  CONSTRAINT `of_warehouse` FOREIGN KEY (`warehouse_code`) REFERENCES `Warehouses` (`code`)
);
