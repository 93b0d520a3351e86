import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Matrix4 as ThreeMatrix,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Points,
  PointsMaterial,
  Sphere,
  Vector3,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import type { Cloud, Matrix4 } from "../data";
import { quantile } from "../stats";
import { color } from "../theme";

export const toMatrix = (rowMajor: Matrix4): ThreeMatrix => new ThreeMatrix().fromArray(rowMajor).transpose();

/** A cloud whose grid coordinates stay as they are in the graphics memory: the object's matrix makes metres of them. */
export function points(cloud: Cloud, grid: Uint16Array, size: number): Points<BufferGeometry, PointsMaterial> {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(grid, 4));
  geometry.boundingSphere = new Sphere(new Vector3(32768, 32768, 32768), 56756);
  const object = new Points(geometry, new PointsMaterial({ size, sizeAttenuation: false }));
  object.matrixAutoUpdate = false;
  object.matrix.makeTranslation(...cloud.origin).scale(new Vector3(cloud.step, cloud.step, cloud.step));
  return object;
}

/** Where most of a cloud is, outliers aside. */
export interface Extent {
  low: Vector3;
  high: Vector3;
  center: Vector3;
}
export function extent(cloud: Cloud, grid: Uint16Array, part: number): Extent {
  const stride = Math.max(1, Math.floor(cloud.count / 20000));
  const at = [0, 1, 2].map((axis) => {
    const values: number[] = [];
    for (let k = 0; k < cloud.count; k += stride) values.push(grid[4 * k + axis]!);
    const sorted = Float64Array.from(values).sort();
    return [part, 0.5, 1 - part].map((p) => cloud.origin[axis]! + cloud.step * (quantile(sorted, p) || 0));
  });
  const [low, center, high] = [0, 1, 2].map((k) => new Vector3(at[0]![k], at[1]![k], at[2]![k]));
  return { low: low!, center: center!, high: high! };
}

export function line(xyz: number[], width: number): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(xyz);
  return new Line2(geometry, new LineMaterial({ linewidth: width }));
}

/** Six numbers a segment. */
export function segments(xyz: number[], width: number, colors?: number[]): LineSegments2 {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(xyz);
  if (colors) geometry.setColors(colors);
  return new LineSegments2(geometry, new LineMaterial({ linewidth: width, vertexColors: colors !== undefined }));
}

/** A dot at every three numbers. */
export function dots(xyz: number[], size: number): Points<BufferGeometry, PointsMaterial> {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(xyz), 3));
  return new Points(geometry, new PointsMaterial({ size, sizeAttenuation: false }));
}

/** A translucent rectangle with its edge; twelve numbers. */
export function rectangle(corners: number[], colorName: string): Group {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(corners), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  const [a, b, c] = [0, 3, 6].map((k) => new Vector3().fromArray(corners, k)) as [Vector3, Vector3, Vector3];
  const area = a.sub(b).cross(c.sub(b)).length();
  const opacity = Math.min(0.25, Math.max(0.03, 25 / area)); // the ground must not cover all
  const face = new MeshBasicMaterial({ transparent: true, opacity, side: DoubleSide, depthWrite: false });
  const edge = line([...corners, ...corners.slice(0, 3)], 1.5);
  return new Group().add(paint(new Mesh(geometry, face), colorName), paint(edge, colorName));
}

/** Notes the name of an object's colour, for repaint(). */
export function paint<T extends Object3D>(object: T, colorName: string): T {
  object.userData.color = colorName;
  return object;
}

/** Gives every painted object the colour that its name has in the present theme. */
export function repaint(root: Object3D): void {
  root.traverse((object) => {
    const name = object.userData.color as string | undefined;
    if (name) ((object as Mesh).material as MeshBasicMaterial).color = new Color(color(name));
  });
}

export function dispose(root: Object3D): void {
  root.traverse((object) => {
    const { geometry, material } = object as Partial<Mesh>;
    geometry?.dispose();
    (material as MeshBasicMaterial | undefined)?.dispose();
  });
  root.clear();
}
