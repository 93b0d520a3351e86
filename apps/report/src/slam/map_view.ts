import { BufferAttribute, Vector3 } from "three";
import type { BufferGeometry, Points, PointsMaterial } from "three";
import { decode } from "../cloud";
import type { Cloud, Polyline, SlamReport } from "../data";
import { button, h, muted, section, toggle, unreadable, whenNear } from "../dom";
import { count, number, upperFirst } from "../format";
import { cliqueColor, gradient, heightColor } from "../palette";
import { largest } from "../stats";
import { onTheme, theme, type Theme } from "../theme";
import { extent, type Extent, line, paint, points, repaint, segments } from "../view/objects";
import { View3D, viewHint } from "../view/view3d";
import { cliqueSize, positionOf, seenFrom } from "./loop_facts";

type MapPoints = Points<BufferGeometry, PointsMaterial>;

/** A point's colour by the height of its grid cell; the ramp covers [low, high] in grid steps. */
function colorByHeight(object: MapPoints, grid: Uint16Array, low: number, high: number): void {
  const table = new Uint8Array(3 * 256);
  for (let k = 0; k < 256; ++k) heightColor(k / 255).forEach((value, c) => (table[3 * k + c] = Math.round(255 * value)));
  const n = grid.length / 4;
  const colors = new Uint8Array(4 * n).fill(255); // padded as the points are
  const scale = 255 / Math.max(1, high - low);
  for (let k = 0; k < n; ++k) {
    const at = 3 * Math.min(255, Math.max(0, Math.round((grid[4 * k + 2]! - low) * scale)));
    for (let c = 0; c < 3; ++c) colors[4 * k + c] = table[at + c]!;
  }
  object.geometry.setAttribute("color", new BufferAttribute(colors, 4, true));
}

/** Trajectories and accepted loops; all are seen through houses. */
function drawLines(report: SlamReport) {
  const place = (keyframe: number) => {
    const at = 3 * positionOf(report, keyframe);
    return report.corrected.slice(at, at + 3);
  };
  const accepted = report.loops.filter((loop) => loop.accepted);
  const largestClique = largest(report.loops.map(cliqueSize), 1);
  const loopColors = () =>
    accepted.flatMap((loop) => {
      const color = cliqueColor(cliqueSize(loop) / largestClique);
      return [...color, ...color];
    });
  const ends = accepted.flatMap((loop) => [...place(loop.from), ...place(loop.to)]);
  const way = (xyz: Polyline | null, color: string, width: number) =>
    xyz && xyz.length >= 6 ? paint(line(xyz, width), color) : null;
  const lines = {
    truth: way(report.truth, "truth", 4),
    odometry: way(report.odometry, "odometry", 2),
    corrected: way(report.corrected, "corrected", 3),
    loops: ends.length ? segments(ends, 2, loopColors()) : null,
  };
  for (const [order, object] of Object.values(lines).entries()) {
    if (!object) continue;
    object.material.depthTest = false;
    object.renderOrder = order + 1;
  }
  return { ...lines, recolor: () => lines.loops?.geometry.setColors(loopColors()) };
}

export function mapView(report: SlamReport): HTMLElement {
  const title = "The map";
  const cloud = report.map;
  if (!cloud || cloud.count === 0)
    return section("map", title, "The scans laid together.", muted("There were no scans to make a map of."));
  const host = h("div", { class: "view map-view" });
  const controls = h("div", { class: "controls" });
  const scale = h("div", { class: "scale" });
  const element = section(
    "map",
    title,
    `${count(cloud.count)} points of the scans at their corrected poses, coloured by ${report.upright ? "height" : "z of the first scan"}.`,
    controls,
    host,
    scale,
  );
  whenNear(element, async () => {
    const view = View3D.create(host);
    if (!view) return;
    const { map, inner, lines } = await fill(view, report, cloud).catch(unreadable(host));
    controls.append(...switches(report, view, map, lines));
    scale.append(...heightScale(report, inner));
    lookAtAll(view, inner, report.corrected, host.clientWidth / host.clientHeight);
    view.drawNow();
    host.dataset.shown = String(cloud.count);
  });
  return element;
}

async function fill(view: View3D, report: SlamReport, cloud: Cloud) {
  const grid = await decode(cloud);
  const map = points(cloud, grid, cloud.count > 300_000 ? 1.3 : 2);
  map.material.vertexColors = true;
  const inner = extent(cloud, grid, 0.02);
  const [low, high] = [inner.low.z, inner.high.z].map((z) => (z - cloud.origin[2]) / cloud.step) as [number, number];
  const lines = drawLines(report);
  for (const hidden of [lines.truth, lines.odometry]) if (hidden) hidden.visible = false;
  const scene = view.scenes[0]!;
  scene.add(map);
  for (const object of [lines.truth, lines.odometry, lines.corrected, lines.loops]) if (object) scene.add(object);
  let painted: Theme | null = null;
  view.onDraw = () => {
    repaint(scene);
    if (painted === theme()) return;
    painted = theme();
    colorByHeight(map, grid, low, high);
    lines.recolor();
  };
  return { map, inner, lines };
}

function switches(report: SlamReport, view: View3D, map: MapPoints, lines: ReturnType<typeof drawLines>): HTMLElement[] {
  const layer = (label: string, object: { visible: boolean } | null) =>
    object &&
    toggle(label, object.visible, (on) => {
      object.visible = on;
      view.draw();
    });
  const size = h("input", { type: "range", min: 0.5, max: 5, step: 0.1, value: map.material.size });
  size.addEventListener("input", () => {
    map.material.size = Number(size.value);
    view.draw();
  });
  const layers = [
    layer("points", map),
    layer("corrected", lines.corrected),
    layer("odometry", lines.odometry),
    layer("truth", lines.truth),
    layer("loops", lines.loops),
  ];
  return [
    ...layers.filter((box) => box !== null),
    h("label", { class: "toggle" }, "point size", size),
    button(upperFirst(seenFrom(report)), () => view.fromAbove()),
    button("Reset view", () => view.reset()),
    viewHint(),
  ];
}

function heightScale(report: SlamReport, inner: Extent): (string | HTMLElement)[] {
  const ramp = h("i", { class: "ramp" });
  const paintRamp = () => (ramp.style.background = gradient(heightColor));
  paintRamp();
  onTheme(paintRamp);
  return [`${report.upright ? "height" : "z"} ${number(inner.low.z, 1)} m`, ramp, `${number(inner.high.z, 1)} m`];
}

/** Obliquely from the side, so that the longer way through the map runs from left to right. */
function lookAtAll(view: View3D, inner: Extent, way: Polyline, aspect: number): void {
  const center = inner.low.clone().add(inner.high).multiplyScalar(0.5);
  const angle = longAxis(way);
  const [wide, deep] = [inner.high.x - inner.low.x, inner.high.y - inner.low.y];
  const [c, s] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const radius = Math.max((0.66 * (c * wide + s * deep)) / aspect, 0.44 * (s * wide + c * deep), 1);
  const from = new Vector3(-0.2, -0.9, 0.75).applyAxisAngle(new Vector3(0, 0, 1), angle);
  // What is near looks larger: the middle of the picture is nearer than the middle of the map.
  const near = new Vector3(from.x, from.y, 0).multiplyScalar(0.12 * radius);
  view.look(center.add(near), radius, from);
}

/** Direction in which a way spreads most, from above. */
function longAxis(way: Polyline): number {
  const n = Math.max(1, way.length / 3);
  const mean = [0, 1].map((axis) => way.reduce((sum, value, k) => (k % 3 === axis ? sum + value : sum), 0) / n);
  let [xx, xy, yy] = [0, 0, 0];
  for (let k = 0; k + 2 < way.length; k += 3) {
    const [x, y] = [way[k]! - mean[0]!, way[k + 1]! - mean[1]!];
    [xx, xy, yy] = [xx + x * x, xy + x * y, yy + y * y];
  }
  return 0.5 * Math.atan2(2 * xy, xx - yy);
}
