// dynamodb-admin in a browser: create a table, add items and run a query by clicking.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { chromium } from "playwright-core";
import { createTable } from "./tables.mjs";

const { CHROMIUM: executablePath, PICTURES: pictures, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
const document = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const table = "admin-shop";
let admin, browser, page, address;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function reached(url) {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return (await fetch(url)).ok;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return false;
}

const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
const rows = () => page.locator("#items-container tr");

before(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const options = ["--host", "127.0.0.1", "--port", String(port), "--dynamo-endpoint", endpoint];
  admin = spawn("node_modules/.bin/dynamodb-admin", options, { stdio: "inherit" });
  assert.ok(await reached(address), "dynamodb-admin does not answer");
  // The sandbox needs privileges that root in a container lacks; the other options disable background requests.
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args: [...args, "--disable-component-update", "--disable-sync"] });
  page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(10_000);
  page.on("dialog", (dialog) => dialog.accept());
});

after(async () => {
  await browser?.close();
  admin?.kill();
});

test("the form of a new table shows the error", async () => {
  // The form sends the capacity as a string, which DynamoDB rejects: issue 518 of dynamodb-admin.
  await page.goto(`${address}/create-table`);
  await page.fill("#TableName", table);
  await page.fill("#HashAttributeName", "pk");
  await page.selectOption("[name=HashAttributeType]", "S");
  await page.click("#saveButton");
  await page.waitForSelector("#error-wrapper .alert");
  assert.equal(await page.innerText("#error-wrapper"), "STRING_VALUE cannot be converted to Long");
  await picture("1-create-table");
});

test("a table is shown in the list", async () => {
  await createTable(document, table);
  await page.goto(address);
  await page.waitForSelector(`li[data-table-name="${table}"]`);
  await picture("2-tables");
});

test("an item is added in the editor", async () => {
  await page.goto(`${address}/tables/${table}/add-item`);
  const item = { pk: "CUST#1", sk: "PROFILE", name: "Ada", gsi1pk: "TOWN#Ulm", gsi1sk: "1", visits: 3, tags: ["a", { b: true }] };
  await page.evaluate((text) => editor.setValue(text), JSON.stringify(item));
  await page.click("#saveButton");
  await page.waitForURL(/\/items\//);
  const { Item } = await document.send(new GetCommand({ TableName: table, Key: { pk: "CUST#1", sk: "PROFILE" } }));
  assert.deepEqual(Item, item);
  await picture("3-item");
});

test("an item is changed in the editor", async () => {
  const text = await page.evaluate(() => editor.getValue());
  await page.evaluate((changed) => editor.setValue(changed), text.replace('"Ada"', '"Ada L."'));
  await page.click("#saveButton");
  await page.waitForSelector("#saveButton.btn-success");
  const { Item } = await document.send(new GetCommand({ TableName: table, Key: { pk: "CUST#1", sk: "PROFILE" } }));
  assert.equal(Item.name, "Ada L.");
});

test("items are shown in pages", async () => {
  for (let start = 0; start < 30; start += 15) {
    const requests = Array.from({ length: 15 }, (_, n) => ({
      PutRequest: { Item: { pk: "CUST#1", sk: `ORDER#${String(start + n).padStart(3, "0")}`, total: start + n } },
    }));
    await document.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
  }
  await page.goto(`${address}/tables/${table}`);
  await rows().first().waitFor();
  assert.equal(await rows().count(), 25);
  await picture("4-items");
  await page.click(".page-link-next");
  await page.waitForURL(/pageNum=2/);
  await rows().first().waitFor();
  assert.equal(await rows().count(), 6);
});

test("the table and its index are queried", async () => {
  await page.goto(`${address}/tables/${table}`);
  await page.selectOption("[name=operationType]", "query");
  await page.locator("#filters-table tr", { has: page.locator("input[readonly]") }).locator(".filter-row-value").fill("CUST#1");
  const last = page.locator("#filters-table tr").last();
  await last.locator(".filter-row-operator").selectOption("begins_with");
  await last.locator(".filter-row-value").fill("ORDER#01");
  await page.click("button[type=submit]");
  await page.waitForURL(/operationType=query/);
  await rows().first().waitFor();
  assert.equal(await rows().count(), 10);
  await picture("5-query");

  const filters = { gsi1pk: { operator: "=", value: "TOWN#Ulm", type: "S" } };
  const search = new URLSearchParams({ operationType: "query", queryableSelection: "gsi1", filters: JSON.stringify(filters) });
  await page.goto(`${address}/tables/${table}?${search}`);
  await rows().first().waitFor();
  assert.match(await rows().first().innerText(), /Ada L\./);
});

test("the description of the table is shown", async () => {
  await page.goto(`${address}/tables/${table}/meta`);
  await page.waitForSelector("#documentArea");
  assert.match(await page.evaluate(() => ace.edit("documentArea").getValue()), /"IndexName": "gsi1"/);
});

test("the time to live of the table is shown", { skip: !process.env.TIME_TO_LIVE }, async () => {
  await page.goto(`${address}/tables/${table}/ttl`);
  assert.match(await page.innerText("main"), /DISABLED/);
});

test("a page of another origin can send requests and read the responses", async () => {
  await page.goto(address);
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810.ListTables" };
  const answer = await page.evaluate(
    async ([url, options]) => (await fetch(url, options)).json(),
    [endpoint, { method: "POST", headers, body: "{}" }],
  );
  assert.match(answer.__type, /#MissingAuthenticationTokenException$/);
});

test("an item is deleted, the rest purged, and the table deleted", async () => {
  await page.goto(`${address}/tables/${table}/items/${encodeURIComponent("CUST#1,PROFILE")}`);
  await page.click("button.btn-danger");
  await page.waitForURL(new RegExp(`/tables/${table}$`));
  const { Item } = await document.send(new GetCommand({ TableName: table, Key: { pk: "CUST#1", sk: "PROFILE" } }));
  assert.equal(Item, undefined);
  await page.goto(address);
  await Promise.all([page.waitForEvent("load"), page.click(`li[data-table-name="${table}"] >> text=Purge`)]);
  assert.match(await page.innerText(`li[data-table-name="${table}"]`), /\b0\b/);
  await Promise.all([page.waitForEvent("load"), page.click(`li[data-table-name="${table}"] >> text=Delete`)]);
  assert.equal(await page.locator(`li[data-table-name="${table}"]`).count(), 0);
});
