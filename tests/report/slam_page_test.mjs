import assert from "node:assert/strict";
import { test } from "node:test";
import { colorsOf, pictureOf } from "./browser.mjs";
import { chartsAreDrawn, headings, nextFrame, opened, shown, withPage, written } from "./harness.mjs";
import { slamReport } from "./slam_fixture.mjs";

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

test("a map of one million points loads", async () => {
  const report = slamReport({ frames: 300, mapPoints: 1_000_000 });
  await withPage(written(report, "million"), async (page) => {
    await page.locator("#map").scrollIntoViewIfNeeded();
    await shown(page, ".map-view", "1000000");
    assert.ok((await colorsOf(page.locator(".map-view canvas"))) > 50);
  });
});

test("a damaged cloud is told of, and the rest is shown", async () => {
  const report = slamReport({ frames: 300, mapPoints: 1000 });
  report.map.count = 999;
  const { page, mistakes } = await opened(written(report, "damaged"));
  await page.locator("#map").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".map-view .over"));
  assert.match(await page.locator(".map-view .over").textContent(), /999 points has 6000 bytes/);
  assert.ok(await page.locator("#settings").isVisible());
  assert.equal(mistakes.length, 1);
  await page.close();
});
