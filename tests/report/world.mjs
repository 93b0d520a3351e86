// A made-up town for made-up runs: blocks of houses on a flat ground. The same numbers every time.
import { deflateSync } from "node:zlib";

/** Numbers in [0, 1), by the generator mulberry32. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A second way to write a Cloud (apps/report/src/data.ts), from flat x y z. */
export function encodeCloud(xyz) {
  const count = xyz.length / 3;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  xyz.forEach((value, k) => {
    low[k % 3] = Math.min(low[k % 3], value);
    high[k % 3] = Math.max(high[k % 3], value);
  });
  if (count === 0) return { count, origin: [0, 0, 0], step: 1, data: deflateSync(Buffer.alloc(0)).toString("base64") };
  const step = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-6) / 65535;
  const bytes = Buffer.alloc(6 * count);
  for (let axis = 0; axis < 3; ++axis) {
    let before = 0;
    for (let k = 0; k < count; ++k) {
      const q = Math.round((xyz[3 * k + axis] - low[axis]) / step);
      const difference = (q - before + 65536) % 65536;
      bytes[2 * axis * count + k] = difference % 256;
      bytes[(2 * axis + 1) * count + k] = Math.floor(difference / 256);
      before = q;
    }
  }
  return { count, origin: low, step, data: deflateSync(bytes).toString("base64") };
}

const random = randomNumbers(7);
/** Houses: centre x, y, half sides, height. */
const houses = [];
for (let x = -60; x <= 260; x += 32)
  for (let y = -60; y <= 180; y += 32) {
    const onStreet = Math.abs(x) < 12 || Math.abs(x - 200) < 12 || Math.abs(y) < 12 || Math.abs(y - 120) < 12;
    if (!onStreet && random() < 0.8) houses.push([x, y, 6 + 5 * random(), 6 + 5 * random(), 5 + 12 * random()]);
  }

/** A point on a wall, a roof or the ground within `reach` of (x, y). */
function pointNear(next, x, y, reach, near) {
  if (near.length === 0 || next() < 0.35) {
    const r = reach * next();
    const angle = 2 * Math.PI * next();
    return [x + r * Math.cos(angle), y + r * Math.sin(angle), 0.03 * normal(next)];
  }
  const [cx, cy, a, b, height] = near[Math.floor(next() * near.length)];
  const side = Math.floor(4 * next());
  const along = 2 * next() - 1;
  const [u, v] = [[1, along], [-1, along], [along, 1], [along, -1]][side];
  return [cx + a * u, cy + b * v, height * next()];
}

export function cloudAround(seed, x, y, reach, count) {
  const next = randomNumbers(seed);
  const near = houses.filter(([cx, cy]) => Math.hypot(cx - x, cy - y) < reach);
  return Array.from({ length: count }, () => pointNear(next, x, y, reach, near)).flat();
}

/** Row-major pose in the plane, z metres above the ground. */
export const pose = (x, y, yaw, z = 1.7) => {
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  return [c, -s, 0, x, s, c, 0, y, 0, 0, 1, z, 0, 0, 0, 1];
};

export const multiply = (A, B) =>
  Array.from({ length: 16 }, (_, k) => {
    const [row, column] = [Math.floor(k / 4), k % 4];
    return [0, 1, 2, 3].reduce((sum, j) => sum + A[4 * row + j] * B[4 * j + column], 0);
  });

export function inverse(T) {
  const result = [T[0], T[4], T[8], 0, T[1], T[5], T[9], 0, T[2], T[6], T[10], 0, 0, 0, 0, 1];
  for (let row = 0; row < 3; ++row)
    result[4 * row + 3] = -(result[4 * row] * T[3] + result[4 * row + 1] * T[7] + result[4 * row + 2] * T[11]);
  return result;
}

export function transform(T, xyz) {
  const result = new Array(xyz.length);
  for (let k = 0; k < xyz.length; k += 3)
    for (let row = 0; row < 3; ++row)
      result[k + row] =
        T[4 * row] * xyz[k] + T[4 * row + 1] * xyz[k + 1] + T[4 * row + 2] * xyz[k + 2] + T[4 * row + 3];
  return result;
}
