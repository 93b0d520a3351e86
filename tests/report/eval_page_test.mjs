import assert from "node:assert/strict";
import { test } from "node:test";
import { colorsOf } from "./browser.mjs";
import { evalReport, planesReport } from "./eval_fixture.mjs";
import { chartsAreDrawn, headings, shown, withPage, written } from "./harness.mjs";

test("an evaluation shows all its parts", async () => {
  const report = evalReport();
  await withPage(written(report, "eval"), async (page) => {
    assert.equal((await headings(page)).length, 8);
    const first = report.results.method.flatMap((method, row) => (method === 0 ? [row] : []));
    const right = first.filter((row) => report.results.right[row]).length;
    assert.ok((await page.locator(".tile").first().textContent()).includes(`${right} of ${first.length} pairs`));
    await chartsAreDrawn(page, 4);
    assert.equal(await page.locator("#tables th.shared").count(), 2);
    assert.equal(await page.locator("#tables thead tr").nth(1).locator("th").count(), 6);
    await page.locator("#gallery").scrollIntoViewIfNeeded();
    await shown(page, ".pair-view", String(report.gallery[0].result));
    for (const picture of await page.locator(".card canvas").all()) assert.ok((await colorsOf(picture)) > 10);
    await page.locator(".card").nth(1).click();
    await shown(page, ".pair-view", String(report.gallery[1].result));
    assert.equal(await page.locator("canvas").evaluateAll((all) => all.filter((c) => c.getContext("webgl2")).length), 1);
    assert.equal(await page.locator("#settings pre").textContent(), JSON.stringify(report.run, null, 2));
  });
});

test("an evaluation of planes shows its curves", async () => {
  await withPage(written(planesReport(), "planes"), async (page) => {
    await chartsAreDrawn(page, 2);
    assert.match(await page.locator(".tile").first().innerText(), /PCH\s+F1 0\.740\s+average precision 0\.800/);
    assert.equal(await page.locator("#planes .legend li").count(), 6);
  });
});
