import type { Cloud } from "./data";

/** Grid coordinates for WebGL, four to a point (the fourth is padding: GPUs read such points faster). */
export async function decode(cloud: Cloud): Promise<Uint16Array> {
  const letters = atob(cloud.data);
  const packed = new Uint8Array(letters.length);
  for (let k = 0; k < packed.length; ++k) packed[k] = letters.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = cloud.count;
  if (bytes.length !== 6 * n) throw new Error(`a cloud of ${n} points has ${bytes.length} bytes instead of ${6 * n}`);
  const grid = new Uint16Array(4 * n);
  for (let axis = 0; axis < 3; ++axis) {
    const low = 2 * axis * n;
    const high = low + n;
    for (let k = 0, q = 0; k < n; ++k) {
      q = (q + bytes[low + k]! + 256 * bytes[high + k]!) & 0xffff;
      grid[4 * k + axis] = q;
    }
  }
  return grid;
}
