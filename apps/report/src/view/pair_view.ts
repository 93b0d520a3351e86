import { Group, Matrix4 as ThreeMatrix, Vector3 } from "three";
import { decode } from "../cloud";
import type { Cloud, LoopDetail, Matrix4 } from "../data";
import { button, h, toggle, unreadable } from "../dom";
import { dispose, dots, extent, paint, points, rectangle, repaint, segments, toMatrix } from "./objects";
import { View3D, viewHint } from "./view3d";

export interface Pose {
  name: string;
  T_target_source: Matrix4 | null;
  /** Said instead, where there is no pose. */
  missing?: string;
}
export interface ShownPair {
  target: Cloud;
  source: Cloud;
  poses: [Pose, Pose];
  detail?: LoopDetail;
}

type Layer = "target" | "source" | "planes" | "clique";

const decoded = new WeakMap<Cloud, Promise<Uint16Array>>();
function gridOf(cloud: Cloud): Promise<Uint16Array> {
  const known = decoded.get(cloud) ?? decode(cloud);
  decoded.set(cloud, known);
  return known;
}

/** Two scans under two poses, side by side: the target stays, the source is moved. */
export class PairView {
  readonly element: HTMLElement;
  readonly view: View3D | null;
  private readonly frame = h("div", { class: "view pair-view" });
  private readonly labels = [h("span", { class: "pane left" }), h("span", { class: "pane right" })];
  private readonly message = h("p", { class: "over no-scans" });
  private readonly shown: Record<Layer, boolean> = { target: true, source: true, planes: true, clique: true };
  private latest = 0;

  constructor(names: { target: string; source: string; above: string }, withDetail: boolean) {
    this.view = View3D.create(this.frame, 2);
    this.frame.append(...this.labels, this.message);
    const layer = (name: Layer, label: string) => {
      const box = toggle(label, true, (on) => this.switchLayer(name, on));
      box.prepend(h("i", { class: "key", style: `background: var(--${layerColor[name]})` }));
      return box;
    };
    this.element = h(
      "div",
      {},
      this.frame,
      h(
        "div",
        { class: "controls" },
        layer("target", names.target),
        layer("source", names.source),
        withDetail && layer("planes", "matched planes"),
        withDetail && layer("clique", "clique members"),
        button(names.above, () => this.view?.fromAbove()),
        button("Reset view", () => this.view?.reset()),
        viewHint(),
      ),
    );
    if (this.view) this.view.onDraw = () => this.view!.scenes.forEach(repaint);
  }

  /** Nothing to draw, and why. */
  clear(why: string): void {
    ++this.latest;
    this.view?.scenes.forEach(dispose);
    this.labels.forEach((label) => (label.textContent = ""));
    this.message.textContent = this.view ? why : "";
    this.frame.dataset.shown = "";
    this.view?.drawNow();
  }

  /** `name` says for tests what is on the screen. */
  async show(pair: ShownPair, name: string): Promise<void> {
    const ticket = ++this.latest;
    if (!this.view) return;
    const grids = Promise.all([gridOf(pair.target), gridOf(pair.source)]);
    const [target, source] = await grids.catch(unreadable(this.frame));
    if (ticket !== this.latest) return; // the reader went on
    this.message.textContent = "";
    this.view.scenes.forEach((scene, k) => {
      dispose(scene);
      const pose = pair.poses[k]!;
      this.labels[k]!.textContent = pose.T_target_source ? pose.name : `${pose.name}: ${pose.missing ?? "none"}`;
      scene.add(named("target", paint(points(pair.target, target, 2), "scan-target")));
      if (!pose.T_target_source) return;
      const T = toMatrix(pose.T_target_source);
      scene.add(named("source", moved(T, paint(points(pair.source, source, 2), "scan-source"))));
      if (pair.detail) scene.add(...drawn(pair.detail, T));
    });
    for (const [layer, on] of Object.entries(this.shown)) this.switchLayer(layer as Layer, on);
    const around = extent(pair.target, target, 0.08);
    const radius = Math.max(0.3, 0.72 * around.low.distanceTo(around.high));
    this.view.look(around.center, radius, new Vector3(-0.55, -0.75, 0.95));
    this.view.drawNow();
    this.frame.dataset.shown = name;
  }

  private switchLayer(name: Layer, on: boolean): void {
    this.shown[name] = on;
    this.view?.scenes.forEach((scene) => scene.children.forEach((o) => o.name === name && (o.visible = on)));
    this.view?.draw();
  }
}

const layerColor: Record<Layer, string> = {
  target: "scan-target",
  source: "scan-source",
  planes: "plane",
  clique: "clique",
};

function named(layer: Layer, child: Group | ReturnType<typeof points>): Group {
  const group = new Group().add(child);
  group.name = layer;
  return group;
}

function moved(T: ThreeMatrix, ...children: Parameters<Group["add"]>): Group {
  const group = new Group().add(...children);
  group.matrixAutoUpdate = false;
  group.matrix.copy(T);
  return group;
}

/** Planes of both scans, and a line from each clique member of the source to its partner. */
function drawn(detail: LoopDetail, T: ThreeMatrix): Group[] {
  const planes = new Group();
  for (const { source, target } of detail.planes) {
    planes.add(rectangle(target, "plane"), moved(T, rectangle(source, "plane")));
  }
  const ends: number[] = [];
  for (let k = 0; k + 5 < detail.points.length; k += 6) {
    const from = new Vector3().fromArray(detail.points, k).applyMatrix4(T);
    ends.push(...from.toArray(), ...detail.points.slice(k + 3, k + 6));
  }
  const clique = new Group();
  if (ends.length) clique.add(paint(segments(ends, 2), "clique"), paint(dots(ends, 5), "clique"));
  return [named("planes", planes), named("clique", clique)];
}
