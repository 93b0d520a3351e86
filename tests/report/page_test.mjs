import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { colorsOf, launch, open, pictureOf } from "./browser.mjs";
import { emptyEvalReport, evalReport, planesReport } from "./eval_fixture.mjs";
import { emptySlamReport, slamReport } from "./slam_fixture.mjs";
import { placeholder, writePage } from "./write_page.mjs";

const template = readFileSync(process.env.PARTE_REPORT_TEMPLATE, "utf8");
const folder = mkdtempSync(join(tmpdir(), "parte-report-"));
let browser;
before(async () => (browser = await launch()));
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

const written = (report, name) => {
  const path = join(folder, `${name}.html`);
  writePage(template, report, path);
  return path;
};

/** Opens a report, does something with the page, and expects that it made no mistake. */
async function withPage(path, use, options) {
  const { page, mistakes } = await open(browser, path, options);
  try {
    await use(page);
    assert.deepEqual(mistakes, []);
  } finally {
    await page.close();
  }
}

const shown = (page, view, value) =>
  page.waitForFunction(([v, expected]) => document.querySelector(v)?.dataset.shown === expected, [view, value]);

/** What was asked for is drawn with the next frame. */
const nextFrame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Every chart of the page is drawn: axes, grid and curves have more than a few colours. */
async function chartsAreDrawn(page, expected) {
  const charts = page.locator(".uplot canvas");
  assert.equal(await charts.count(), expected);
  for (const chart of await charts.all()) assert.ok((await colorsOf(chart)) > 5);
}

const headings = (page) => page.locator("h2").allTextContents();

test("the data has exactly one place in the template", () => {
  assert.equal(template.split(placeholder).length, 2);
  assert.ok(template.includes(`<script id="report-data" type="application/json">${placeholder}</script>`));
  assert.ok(template.length < 900_000);
});

test("a mapping run shows all its parts", async () => {
  const report = slamReport();
  await withPage(written(report, "slam"), async (page) => {
    assert.equal(await page.title(), "town (made up) – parte");
    assert.equal((await headings(page)).length, 10);
    const tiles = (await page.locator(".tile").allTextContents()).join(" ");
    const { odometry, corrected, loops } = report.metrics;
    assert.match(tiles, new RegExp(`${odometry.ate_rmse_m.toFixed(1)} → ${corrected.ate_rmse_m.toFixed(2)} m`));
    assert.match(tiles, new RegExp(`Loops accepted${loops.accepted}`));
    assert.match(tiles, /20\.6 frames a second/); // 1200 frames in 58.2 s
    await chartsAreDrawn(page, 2);
    assert.equal(await page.locator(".plan .loop").count(), report.loops.length);
    await page.locator("#map").scrollIntoViewIfNeeded();
    await shown(page, ".map-view", String(report.map.count));
    assert.ok((await colorsOf(page.locator(".map-view canvas"))) > 50);
    assert.equal(await page.locator("#settings pre").textContent(), report.config);
    assert.ok((await page.locator("#notes").textContent()).includes(report.notes[0]));
  });
});

test("what the map shows can be switched off", async () => {
  await withPage(written(slamReport(), "map"), async (page) => {
    await page.locator("#map").scrollIntoViewIfNeeded();
    const canvas = page.locator(".map-view canvas");
    await shown(page, ".map-view", "60000");
    await page.locator("#map .toggle", { hasText: "points" }).click();
    for (const name of ["corrected", "loops"]) await page.locator("#map .toggle", { hasText: name }).click();
    await nextFrame(page);
    assert.equal(await colorsOf(canvas), 1);
    await page.locator("#map .toggle", { hasText: "truth" }).click();
    await nextFrame(page);
    assert.ok((await colorsOf(canvas)) > 1);
  });
});

test("clicking a loop shows its two scans", async () => {
  const report = slamReport();
  const k = report.loops.findIndex((loop, index) => index > 20 && loop.accepted && loop.detail);
  const loop = report.loops[k];
  await withPage(written(report, "click"), async (page) => {
    const canvas = page.locator(".pair-view canvas");
    await canvas.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector(".pair-view").dataset.shown !== undefined);
    const first = await pictureOf(canvas);
    const dot = page.locator(".plan .loop", { has: page.locator("path") }).nth(await markOf(page, report, k));
    await page.locator(".plan").scrollIntoViewIfNeeded();
    await clickOn(page, dot.locator(".dot"));
    await shown(page, ".pair-view", String(k));
    assert.notEqual(await pictureOf(canvas), first);
    assert.ok((await colorsOf(canvas)) > 4);
    const title = await page.locator("#loops h3").textContent();
    assert.ok(title.includes(`Frames ${report.keyframes[loop.from]} and ${report.keyframes[loop.to]}`), title);
    assert.ok((await page.locator(".facts").textContent()).includes(`${loop.clique_points} points, ${loop.clique_planes} planes`));
    await page.locator("#loops .toggle", { hasText: "earlier scan" }).click();
    await nextFrame(page);
    assert.ok((await colorsOf(canvas)) > 1);
  });
});

/** Marks are in the order of the drawing: refused ones, then right ones, then wrong ones. */
const markOf = (page, report, k) =>
  page.evaluate(
    ([loops, wanted]) => {
      const kind = (loop) => (!loop.accepted ? 0 : loop.right === false ? 2 : 1);
      const order = loops.map((loop, index) => [kind(loop), index]).sort(([a, i], [b, j]) => a - b || i - j);
      return order.findIndex(([, index]) => index === wanted);
    },
    [report.loops.map(({ accepted, right }) => ({ accepted, right })), k],
  );

async function clickOn(page, mark) {
  const place = await mark.evaluate((path) => {
    const at = path.getPointAtLength(0).matrixTransform(path.getScreenCTM());
    return { x: at.x, y: at.y };
  });
  await page.mouse.move(place.x, place.y);
  assert.match(await page.locator(".told").textContent(), /^frames \d+ and \d+; accepted/);
  await page.mouse.click(place.x, place.y);
}

test("loops are walked through by buttons and keys", async () => {
  const report = slamReport();
  await withPage(written(report, "keys"), async (page) => {
    const selected = page.locator("#loops [aria-selected]");
    const number = async () => Number(await selected.getAttribute("data-loop"));
    const first = await number();
    await page.getByRole("button", { name: "Next loop" }).press("Enter");
    const second = await number();
    assert.ok(second > first);
    await page.locator("#loops .scroll").press("ArrowUp");
    assert.equal(await number(), first);
    await page.locator("#loops select").first().selectOption("wrong");
    await page.locator("#loops tbody tr").click();
    assert.match(await page.locator("#loops h3").textContent(), /accepted, but wrong/);
    const left = report.loops.findIndex(({ detail, accepted }) => accepted && !detail);
    await page.locator("#loops select").first().selectOption("accepted");
    const withoutScans = report.loops.findIndex(
      (loop) => loop.accepted && !(loop.from in report.scans && loop.to in report.scans),
    );
    assert.ok(left >= 0 && withoutScans >= 0);
    await page.locator(`#loops [data-loop="${withoutScans}"]`).click();
    assert.match(await page.locator(".no-scans").textContent(), /left out/);
  });
});

test("without ground truth the page says what cannot be known", async () => {
  await withPage(written(slamReport({ truth: false }), "no_truth"), async (page) => {
    const text = await page.locator("#page").innerText();
    assert.match(text, /Trajectory error\s+unknown/);
    assert.match(text, /Without ground truth nobody can say/);
    assert.match(await page.locator("#calibration").innerText(), /There is no ground truth/);
    await chartsAreDrawn(page, 1);
  });
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
  for (const column of ["source", "target", "group", "status"]) evaluation.results[column].fill(evil);
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
  const { page, mistakes } = await open(browser, written(emptySlamReport(), "offline"));
  const refused = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => false, () => true)); // prettier-ignore
  assert.ok(refused);
  assert.ok(mistakes.some((mistake) => mistake.includes("Content Security Policy")), mistakes.join("\n"));
  await page.close();
});

test("a map of one million points loads", async () => {
  const report = slamReport({ frames: 300, mapPoints: 1_000_000 });
  await withPage(written(report, "million"), async (page) => {
    await page.locator("#map").scrollIntoViewIfNeeded();
    await shown(page, ".map-view", "1000000");
    assert.ok((await colorsOf(page.locator(".map-view canvas"))) > 50);
  });
});

test("a narrow window needs no sideways scrolling", async () => {
  for (const report of [slamReport({ frames: 300 }), evalReport()])
    await withPage(written(report, "narrow"), async (page) => {
      const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(needed <= there, `${needed} of ${there} pixels`);
    }, { viewport: { width: 900, height: 800 } }); // prettier-ignore
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

test("a damaged cloud is told of, and the rest is shown", async () => {
  const report = slamReport({ frames: 300, mapPoints: 1000 });
  report.map.count = 999;
  const { page, mistakes } = await open(browser, written(report, "damaged"));
  await page.locator("#map").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".map-view .over"));
  assert.match(await page.locator(".map-view .over").textContent(), /999 points has 6000 bytes/);
  assert.ok(await page.locator("#settings").isVisible());
  assert.equal(mistakes.length, 1);
  await page.close();
});

// Pages that the programs themselves have made.
for (const path of (process.env.PARTE_REPORT_FILES ?? "").split(":").filter(Boolean))
  test(`${path} is sound`, async () => {
    await withPage(path, async (page) => {
      const report = JSON.parse(await page.locator("#report-data").textContent());
      assert.doesNotMatch(await page.locator("#page").innerText(), /NaN|undefined|Infinity/);
      for (const chart of await page.locator(".uplot canvas").all()) assert.ok((await colorsOf(chart)) > 5);
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
