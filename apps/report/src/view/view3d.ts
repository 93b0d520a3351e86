import { ColorManagement, LinearSRGBColorSpace, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { h } from "../dom";
import { color, onPrint, onTheme } from "../theme";

ColorManagement.enabled = false; // colours are those of the style sheet, as they stand

export const viewHint = (): HTMLElement =>
  h("span", { class: "hint" }, "Drag to turn, right-drag to move; click, then the wheel zooms.");

/** One or more scenes side by side, seen by one camera. Draws only when something changed. */
export class View3D {
  readonly scenes: Scene[];
  readonly canvas: HTMLCanvasElement;
  /** Called before each drawing, for what depends on the theme. */
  onDraw: () => void = () => {};
  private readonly camera = new PerspectiveCamera(45, 1, 0.1, 1000);
  private readonly controls: OrbitControls;
  private readonly initial = { target: new Vector3(), position: new Vector3() };
  private waiting = false;

  private constructor(
    private readonly host: HTMLElement,
    private readonly renderer: WebGLRenderer,
    panes: number,
  ) {
    this.scenes = Array.from({ length: panes }, () => new Scene());
    this.canvas = renderer.domElement;
    this.canvas.tabIndex = 0;
    this.camera.up.set(0, 0, 1);
    renderer.outputColorSpace = LinearSRGBColorSpace;
    renderer.autoClear = false;
    host.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.95;
    this.controls.addEventListener("change", () => this.draw());
    this.takeTheWheelOnlyInFocus();
    new ResizeObserver(() => this.resize()).observe(host);
    onTheme(() => this.drawNow());
    onPrint((on) => this.print(on));
    this.resize();
  }

  /** Null where the browser has no WebGL; the host then says so. */
  static create(host: HTMLElement, panes = 1): View3D | null {
    try {
      // Kept for copies of what was drawn.
      const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
      return new View3D(host, renderer, panes);
    } catch {
      host.append(h("p", { class: "over no-webgl" }, "This browser has no WebGL, which this 3D view needs."));
      return null;
    }
  }

  /** A page must scroll past a view that nobody clicked on. */
  private takeTheWheelOnlyInFocus(): void {
    this.controls.enableZoom = false;
    this.canvas.addEventListener("focus", () => (this.controls.enableZoom = true));
    this.canvas.addEventListener("blur", () => (this.controls.enableZoom = false));
    this.canvas.addEventListener("pointerdown", () => this.canvas.focus({ preventScroll: true }));
    this.controls.listenToKeyEvents(this.canvas);
  }

  /** The fitting view of a ball, from the given direction; reset() returns to it. */
  look(center: Vector3, radius: number, direction: Vector3): void {
    const distance = radius / Math.tan(((this.camera.fov / 2) * Math.PI) / 180);
    this.camera.near = distance / 500;
    this.camera.far = distance * 50;
    this.initial.target.copy(center);
    this.initial.position.copy(center).addScaledVector(direction.clone().normalize(), distance);
    this.reset();
  }

  reset(): void {
    this.controls.target.copy(this.initial.target);
    this.camera.position.copy(this.initial.position);
    this.controls.update();
    this.draw();
  }

  fromAbove(): void {
    const distance = this.initial.position.distanceTo(this.initial.target);
    this.controls.target.copy(this.initial.target);
    // Not quite: straight down there is no telling which way is up.
    this.camera.position.copy(this.initial.target).add(new Vector3(0, -0.001 * distance, distance));
    this.controls.update();
    this.draw();
  }

  draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow(): void {
    this.waiting = false;
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    if (width === 0 || height === 0) return;
    this.onDraw();
    this.renderer.setClearColor(color("view"));
    this.renderer.setScissorTest(false);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    const pane = width / this.scenes.length;
    this.camera.aspect = pane / height;
    this.camera.updateProjectionMatrix();
    this.scenes.forEach((scene, k) => {
      this.renderer.setViewport(k * pane, 0, pane, height);
      this.renderer.setScissor(k * pane, 0, pane, height);
      this.renderer.render(scene, this.camera);
    });
  }

  /** Browsers print a WebGL canvas as it was last on the screen, in the colours of the screen: a copy is printed. */
  private print(on: boolean): void {
    this.host.querySelector(".printed")?.remove();
    if (!on) return;
    this.drawNow();
    const copy = h("canvas", { class: "printed", width: this.canvas.width, height: this.canvas.height });
    copy.getContext("2d")!.drawImage(this.canvas, 0, 0);
    this.host.append(copy);
  }

  private resize(): void {
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.drawNow();
  }
}
