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

test("the trajectory's errors are in a table, before and after", async () => {
  const report = slamReport({ frames: 300, mapPoints: 1000 });
  const { odometry, corrected } = report.metrics;
  Object.assign(odometry, { ate_rmse_m: 7.25, lateral_rmse_m: 3.456, yaw_rmse_deg: 1.289 });
  Object.assign(corrected, { ate_rmse_m: 0.5, lateral_rmse_m: 0.1234, yaw_rmse_deg: 0.0567 });
  await withPage(written(report, "errors"), async (page) => {
    await page.locator("#summary summary").click();
    const table = await page.locator("#summary table").innerText();
    assert.match(table, /odometry\s+with loops/);
    assert.match(table, /ATE, best alignment \[m\]\s+7\.25\s+0\.50/);
    assert.match(table, /Lateral, best alignment \[m\]\s+3\.46\s+0\.12/);
    assert.match(table, /Yaw, best alignment \[deg\]\s+1\.29\s+0\.057/);
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

test("a candidate that was not registered is shown by odometry, or said to be none", async () => {
  const report = slamReport();
  const [drawn, undrawn] = [true, false].map((scans) =>
    report.loops.findIndex((loop) => !loop.registered && (loop.from in report.scans && loop.to in report.scans) === scans),
  );
  assert.ok(drawn >= 0 && undrawn >= 0);
  await withPage(written(report, "unregistered"), async (page) => {
    await page.locator("#loops select").first().selectOption("refused");
    await page.locator(`#loops [data-loop="${drawn}"]`).click();
    await shown(page, ".pair-view", String(drawn));
    assert.ok((await page.locator(".pane.right").textContent()).endsWith(report.loops[drawn].reason));
    await page.locator(`#loops [data-loop="${undrawn}"]`).click();
    const told = await page.locator(".no-scans").textContent();
    assert.ok(told.includes(`no registration to look at: ${report.loops[undrawn].reason}`), told);
    assert.doesNotMatch(told, /left out/);
  });
});

test("nothing is above where z may point anywhere, and warnings come first", async () => {
  const about = async (upright) => {
    const report = { ...slamReport(), upright, warnings: upright ? [] : ["Interrupted: only so far."] };
    let text;
    await withPage(written(report, "attitude"), async (page) => {
      await page.locator("#map").scrollIntoViewIfNeeded();
      await shown(page, ".map-view", "60000");
      text = (await page.locator(":is(#trajectory, #loops, #map)").allInnerTexts()).join("\n");
      const first = await page.locator("#summary > *").first().innerText();
      assert.equal(first === "Interrupted: only so far.", !upright);
    });
    return text;
  };
  const level = await about(true);
  assert.match(level, /Trajectory from above/);
  assert.match(level, /coloured by height/);
  const tilted = await about(false);
  assert.doesNotMatch(tilted, /above\b|height/i);
  assert.match(tilted, /Trajectory along z of the first scan/);
  assert.match(tilted, /coloured by z of the first scan/);
});

test("a plan whose pointer is taken away is no longer dragged", async () => {
  await withPage(written(slamReport({ frames: 300 }), "pointer"), async (page) => {
    const plan = page.locator(".plan");
    await plan.scrollIntoViewIfNeeded();
    const box = await plan.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const moved = async (by) => {
      const before = await plan.getAttribute("viewBox");
      await page.mouse.move(x + by, y + by);
      return (await plan.getAttribute("viewBox")) !== before;
    };
    for (const lose of ["releasePointerCapture", "pointercancel"]) {
      await page.mouse.move(x, y);
      await plan.evaluate((target) => target.addEventListener("pointerdown", (e) => (window.pointer = e.pointerId)));
      await page.mouse.down();
      assert.ok(await moved(30));
      await plan.evaluate((target, how) => {
        if (how === "pointercancel") target.dispatchEvent(new PointerEvent(how, { pointerId: window.pointer }));
        else target.releasePointerCapture(window.pointer);
      }, lose);
      await page.mouse.move(x + 31, y + 31); // the loss is told with the next event
      assert.equal(await moved(60), false);
      await page.mouse.up();
    }
  });
});

test("without ground truth the page says what cannot be known", async () => {
  await withPage(written(slamReport({ truth: false }), "no_truth"), async (page) => {
    const text = await page.locator("#page").innerText();
    assert.match(text, /Trajectory error\s+unknown/);
    assert.match(text, /Without ground truth nobody can say/);
    assert.equal(await page.locator("#summary table").count(), 0);
    assert.match(await page.locator("#calibration").innerText(), /There is no ground truth/);
    assert.match(await page.locator("#calibration").innerText(), /At most 6 is expected. Median .* \(at most 5.35 is expected\)/);
    assert.doesNotMatch(await page.locator("#calibration").innerText(), /ideal/);
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
