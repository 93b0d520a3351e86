// The page's arithmetic against plainer ways to the same answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "vite";
import { evalReport } from "./eval_fixture.mjs";
import { encodeCloud, normal, randomNumbers } from "./world.mjs";

/** The exports of a source of the page that needs no browser. */
async function load(source) {
  const [{ output }] = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry: `src/${source}.ts`, formats: ["es"] } },
  });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}
const [stats, { decode }, curves, format] = await Promise.all(["stats", "cloud", "eval/curves", "format"].map(load));

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("a cloud comes back to half a step of its grid", async () => {
  const random = randomNumbers(1);
  for (const count of [0, 1, 2, 5000]) {
    const xyz = Array.from({ length: 3 * count }, () => 40 * normal(random));
    const cloud = encodeCloud(xyz);
    const grid = await decode(cloud);
    assert.equal(grid.length, 4 * count);
    xyz.forEach((value, k) => {
      const at = cloud.origin[k % 3] + cloud.step * grid[4 * Math.floor(k / 3) + (k % 3)];
      near(at, value, 0.501 * cloud.step);
    });
  }
});

test("a cloud of another length than it says is refused", async () => {
  const cloud = encodeCloud([1, 2, 3, 4, 5, 6]);
  await assert.rejects(decode({ ...cloud, count: 3 }), /a cloud of 3 points has 12 bytes instead of 18/);
});

test("the chi-square distribution is the integral of its density", () => {
  const density = (x) => (x * x * Math.exp(-x / 2)) / 16;
  let integral = 0;
  const step = 1e-3;
  for (let k = 0; k < 30_000; ++k) {
    integral += step * density((k + 0.5) * step);
    if (k % 1000 === 999) near(stats.chi2Cdf6((k + 1) * step), integral, 1e-7);
  }
  near(stats.chi2Cdf6(stats.chi2Limit95), 0.95, 1e-5);
});

test("the distribution of values is what counting gives", () => {
  const random = randomNumbers(2);
  const values = Array.from({ length: 300 }, () => Math.floor(40 * random()) / 8); // many are equal
  const { x, y } = stats.ecdf(values, 400);
  assert.equal(new Set(values).size, x.length);
  x.forEach((limit, k) => near(y[k], values.filter((value) => value <= limit).length / 400, 1e-12));
  const sorted = stats.ascending(values);
  for (const part of [0, 0.01, 0.5, 0.77, 1]) {
    const q = stats.quantile(sorted, part);
    assert.ok(values.filter((value) => value <= q).length >= part * 300);
    assert.ok(values.filter((value) => value < q).length <= part * 300);
  }
});

test("the median has as many values above as below", () => {
  assert.equal(stats.median([3, 1, 2]), 2);
  assert.equal(stats.median([9, 0, 4, 1]), 2.5);
});

test("the extremes of very many values are found", () => {
  const values = Array.from({ length: 500_000 }, (_, k) => (k * 7919) % 500_000);
  assert.equal(stats.largest(values, 1), 499_999);
  assert.equal(stats.smallest(values, 1), 0);
  assert.equal(stats.largest([], 1), 1);
  assert.equal(stats.smallest([2], 1), 1);
});

test("precision and recall are those of a limit on the confidence", () => {
  const { results } = evalReport();
  const rows = results.method.flatMap((method, row) => (method === 0 ? [row] : []));
  const { x, y } = curves.precisionRecall(results, rows);
  const points = new Map();
  for (const limit of rows.map((row) => results.confidence[row])) {
    const taken = rows.filter((row) => results.estimated[row] && results.confidence[row] >= limit);
    const right = taken.filter((row) => results.right[row]).length;
    const best = points.get(right / rows.length) ?? 0;
    if (taken.length) points.set(right / rows.length, Math.max(best, right / taken.length));
  }
  assert.deepEqual(new Map(x.map((recall, k) => [recall, y[k]])), new Map([...points].sort(([a], [b]) => a - b)));
});

test("success against confidence is counted bin by bin", () => {
  const { results } = evalReport();
  const fixed = (row) => results.estimated[row] && results.status[row] !== "degenerate";
  const rows = results.method.flatMap((method, row) => (method === 1 && fixed(row) ? [row] : []));
  const { x, y } = curves.reliability(results, results.method.flatMap((method, row) => (method === 1 ? [row] : [])));
  assert.ok(x.length > 3);
  x.forEach((middle, k) => {
    const inside = rows.filter((row) => Math.abs(results.confidence[row] - middle) < 0.05);
    near(y[k], inside.filter((row) => results.right[row]).length / inside.length, 1e-12);
  });
});

test("numbers are rounded without lying", () => {
  assert.equal(format.percent(999, 1000), "99.9 %");
  assert.equal(format.percent(99_999, 100_000), "99.9 %");
  assert.equal(format.percent(1, 100_000), "0.1 %");
  assert.equal(format.percent(3, 3), "100 %");
  assert.equal(format.number(-0.001, 1), "0.0");
  assert.equal(format.number(-1.94), "−1.94");
  assert.equal(format.number(1234567), "1\u202f234\u202f567");
  assert.equal(format.number(null), "–");
  assert.equal(format.seconds(3599.7), "1 h 0 min");
  assert.equal(format.seconds(281), "4 min 41 s");
});
