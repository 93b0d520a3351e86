// Pages of made-up runs in one browser, for all tests of a file.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { colorsOf, launch, open } from "./browser.mjs";
import { writePage } from "./write_page.mjs";

export const template = readFileSync(process.env.PARTE_REPORT_TEMPLATE, "utf8");
// Made when they are first needed: a file may have no tests to run.
let folder, browser;
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** A page, and the mistakes that it makes. */
export async function opened(path, options) {
  browser ??= await launch();
  return open(browser, path, options);
}

export const written = (report, name) => {
  folder ??= mkdtempSync(join(tmpdir(), "parte-report-"));
  const path = join(folder, `${name}.html`);
  writePage(template, report, path);
  return path;
};

/** Opens a report, does something with the page, and expects that it made no mistake. */
export async function withPage(path, use, options) {
  const { page, mistakes } = await opened(path, options);
  try {
    await use(page);
    assert.deepEqual(mistakes, []);
  } finally {
    await page.close();
  }
}

/** Waits until a view has drawn what it says. */
export const shown = (page, view, value) =>
  page.waitForFunction(([v, expected]) => document.querySelector(v)?.dataset.shown === expected, [view, value]);

/** What was asked for is drawn with the next frame. */
export const nextFrame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Every chart of the page is drawn: axes, grid and curves have more than a few colours. */
export async function chartsAreDrawn(page, expected) {
  const charts = page.locator(".uplot canvas");
  if (expected !== undefined) assert.equal(await charts.count(), expected);
  for (const chart of await charts.all()) assert.ok((await colorsOf(chart)) > 5);
}

export const headings = (page) => page.locator("h2").allTextContents();
