import assert from "node:assert/strict";
import { test } from "node:test";
import { colorsOf, launch, open, pictureOf } from "./browser.mjs";
import { emptyEvalReport, evalReport } from "./eval_fixture.mjs";
import { opened, template, withPage, written } from "./harness.mjs";
import { emptySlamReport, slamReport } from "./slam_fixture.mjs";
import { placeholder } from "./write_page.mjs";

test("the data has exactly one place in the template", () => {
  assert.equal(template.split(placeholder).length, 2);
  assert.ok(template.includes(`<script id="report-data" type="application/json">${placeholder}</script>`));
  assert.ok(template.length < 900_000);
});

test("a run in which nothing happened is a page too", async () => {
  await withPage(written(emptySlamReport(), "empty_slam"), async (page) => {
    const text = await page.locator("#page").innerText();
    assert.match(text, /No candidate for a loop was tried/);
    assert.match(text, /There were no scans to make a map of/);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
  });
  await withPage(written(emptyEvalReport(), "empty_eval"), async (page) => {
    const text = await page.locator("#page").innerText();
    assert.match(text, /There are no results in this run/);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
  });
});

test("a template without data says so", async () => {
  await withPage(process.env.PARTE_REPORT_TEMPLATE, async (page) => {
    assert.match(await page.locator("#page").innerText(), /There is no data in this page/);
  });
});

test("light and dark follow the system, the button and the printer", async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const lightness = async (page) => (await background(page)).match(/\d+/g).reduce((sum, value) => sum + Number(value), 0);
  const path = written(slamReport(), "themes");
  await withPage(path, async (page) => {
    assert.ok((await lightness(page)) < 150);
    await page.locator("#loops").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector(".pair-view").dataset.shown !== undefined);
    const dark = await pictureOf(page.locator(".pair-view canvas"));
    await page.getByRole("button", { name: "Light or dark" }).click();
    assert.ok((await lightness(page)) > 600);
    assert.notEqual(await pictureOf(page.locator(".pair-view canvas")), dark);
    await page.getByRole("button", { name: "Light or dark" }).click();
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.ok((await lightness(page)) > 600);
    assert.ok((await colorsOf(page.locator(".pair-view .printed"))) > 4);
    assert.ok(await page.locator("#settings details").evaluate((part) => part.open));
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator(".printed").count(), 0);
    assert.ok((await lightness(page)) < 150);
    assert.ok((await page.pdf()).length > 50_000);
  }, { colorScheme: "dark" }); // prettier-ignore
});

test("hostile names stay text", async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror="alert(2)"><!--`;
  const slam = slamReport({ frames: 300, mapPoints: 1000 });
  Object.assign(slam, { title: evil, command: evil, config: evil, notes: [evil], version: evil });
  slam.metrics.loops.refused = { [evil]: 3 };
  slam.metrics.times_ms = { [evil]: 10 };
  slam.loops.forEach((loop) => (loop.reason = evil));
  const evaluation = evalReport({ pairs: 30 });
  Object.assign(evaluation, { title: evil, head: evil, methods: [evil, evil, evil], notes: [evil], run: { [evil]: evil } });
  for (const column of ["names", "group", "status"]) evaluation.results[column].fill(evil);
  evaluation.results.bin = evaluation.results.bin.map((bin) => bin + evil);
  evaluation.stages.forEach((stage) => (stage.stage = evil));
  evaluation.tables = [{ title: evil, headings: [evil, evil], rows: [[evil, evil]] }];
  for (const [name, report] of Object.entries({ slam, evaluation }))
    await withPage(written(report, `hostile_${name}`), async (page) => {
      assert.equal(await page.locator("h1").textContent(), evil);
      assert.equal(await page.title(), `${evil} – parte`.trim());
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.locator("script").count(), 2);
      await page.waitForLoadState("networkidle"); // an image would have been asked for by now
    });
});

test("the page may not reach the network", async () => {
  const { page, mistakes } = await opened(written(emptySlamReport(), "offline"));
  const refused = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => false, () => true)); // prettier-ignore
  assert.ok(refused);
  assert.ok(mistakes.some((mistake) => mistake.includes("Content Security Policy")), mistakes.join("\n"));
  await page.close();
});

test("a narrow window needs no sideways scrolling", async () => {
  for (const report of [slamReport({ frames: 300 }), evalReport()])
    await withPage(written(report, "narrow"), async (page) => {
      const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(needed <= there, `${needed} of ${there} pixels`);
    }, { viewport: { width: 900, height: 800 } }); // prettier-ignore
});

test("a part that fails does not take the others with it", async () => {
  const slam = slamReport({ frames: 300, mapPoints: 1000 });
  slam.metrics.loops.registrations.by_rotation = null;
  const evaluation = evalReport({ pairs: 30 });
  evaluation.stages = null;
  for (const [report, part] of [[slam, "success"], [evaluation, "time"]]) { // prettier-ignore
    const { page, mistakes } = await opened(written(report, "failing"));
    assert.match(await page.locator(`#${part}`).innerText(), /This part cannot be shown: .*null/);
    assert.equal(await page.locator("#page .warning").count(), 1 + (report === slam)); // it was lost in frames, too
    assert.ok(await page.locator("#settings").isVisible());
    assert.equal(mistakes.length, 1);
    await page.close();
  }
});

test("without WebGL the page says so and goes on", async () => {
  const plain = await launch({ graphics: false });
  try {
    for (const report of [slamReport({ frames: 300 }), evalReport()]) {
      const { page, mistakes } = await open(plain, written(report, "no_webgl"));
      await page.locator(report.kind === "slam" ? "#map" : "#gallery").scrollIntoViewIfNeeded();
      await page.waitForFunction(() => document.querySelector(".no-webgl"));
      assert.ok(await page.locator("#settings").isVisible());
      assert.deepEqual(mistakes.filter((mistake) => !mistake.includes("WebGL")), []);
      await page.close();
    }
  } finally {
    await plain.close();
  }
});
