import assert from "node:assert/strict";
import { test } from "node:test";
import { colorsOf } from "./browser.mjs";
import { chartsAreDrawn, shown, withPage } from "./harness.mjs";

// Pages that the programs themselves have made.
for (const path of (process.env.PARTE_REPORT_FILES ?? "").split(":").filter(Boolean))
  test(`${path} is sound`, async () => {
    await withPage(path, async (page) => {
      const report = JSON.parse(await page.locator("#report-data").textContent());
      assert.doesNotMatch(await page.locator("#page").innerText(), /NaN|undefined|Infinity/);
      await chartsAreDrawn(page);
      if (report.kind === "slam") await checkSlam(page, report);
      else if (report.gallery.length > 0) await checkGallery(page, report);
    });
  });

async function checkSlam(page, report) {
  if (report.map?.count) {
    await page.locator("#map").scrollIntoViewIfNeeded();
    await shown(page, ".map-view", String(report.map.count));
    assert.ok((await colorsOf(page.locator(".map-view canvas"))) > 50);
  }
  const drawn = report.loops.flatMap((loop, k) => (loop.from in report.scans && loop.to in report.scans ? [k] : []));
  if (drawn.length === 0) return;
  await page.locator("#loops select").first().selectOption("scans");
  for (const k of drawn.slice(0, 5)) {
    await page.locator(`#loops [data-loop="${k}"]`).click();
    await shown(page, ".pair-view", String(k));
    assert.ok((await colorsOf(page.locator(".pair-view canvas"))) > 4);
  }
}

async function checkGallery(page, report) {
  await page.locator("#gallery").scrollIntoViewIfNeeded();
  await shown(page, ".pair-view", String(report.gallery[0].result));
  for (const picture of await page.locator(".card canvas").all()) assert.ok((await colorsOf(picture)) > 4);
}
