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

test("the worst pairs without scans are listed", async () => {
  const report = evalReport({ pictures: 0 });
  const { results, worst } = report;
  await withPage(written(report, "merged"), async (page) => {
    const rows = page.locator("#gallery tbody tr");
    assert.equal(await rows.count(), worst.length);
    const first = await rows.first().innerText();
    assert.ok(first.includes(`${results.names[results.source[worst[0]]]} → ${results.names[results.target[worst[0]]]}`));
    assert.match(first, results.estimated[worst[0]] ? /wrong/ : /no estimate: no clique found/);
  });
  await withPage(written(evalReport(), "some_drawn"), async (page) => {
    assert.equal(await page.locator(".card").count(), 6);
    assert.equal(await page.locator("#gallery tbody tr").count(), worst.length - 6);
  });
});

test("an evaluation of very many pairs is shown", async () => {
  const report = evalReport({ pairs: 30 });
  const times = 1500;
  for (const [name, column] of Object.entries(report.results))
    if (name !== "names") report.results[name] = Array.from({ length: times }, () => column).flat();
  assert.ok(report.results.method.length > 130_000);
  await withPage(written(report, "many"), async (page) => {
    await chartsAreDrawn(page, 4);
    assert.equal(await page.locator("#page .warning").count(), 0);
  });
});

test("an evaluation of planes shows its curves", async () => {
  await withPage(written(planesReport(), "planes"), async (page) => {
    await chartsAreDrawn(page, 2);
    assert.match(await page.locator(".tile").first().innerText(), /PCH\s+F1 0\.740\s+average precision 0\.800/);
    assert.equal(await page.locator("#planes .legend li").count(), 6);
  });
});
