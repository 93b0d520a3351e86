import { button, h, svg } from "../dom";

export interface Point {
  x: number;
  y: number;
}

/** A drawing in metres that can be moved and zoomed; y is upwards. Strokes keep their width on the screen. */
export class Plan {
  readonly drawing = svg("svg", { class: "plan", tabindex: 0, role: "img", preserveAspectRatio: "xMidYMid meet" });
  readonly element: HTMLElement;
  onHover: (at: Point | null) => void = () => {};
  onClick: (at: Point) => void = () => {};
  /** What buttons and keys zoom to, while it is on the screen: the middle of a round trip is empty. */
  focus: Point | null = null;
  private readonly bar = h("span", { class: "scale-bar" });
  private center: Point = { x: 0, y: 0 };
  private metresPerPixel = 1;
  private fitted = true;

  constructor(
    private readonly low: Point,
    private readonly high: Point,
  ) {
    this.element = h(
      "div",
      { class: "view plan-view" },
      this.drawing,
      this.bar,
      h(
        "div",
        { class: "zoom-buttons" },
        button("+", () => this.zoom(1 / 1.5, this.zoomCenter()), "Zoom in"),
        button("−", () => this.zoom(1.5, this.zoomCenter()), "Zoom out"),
        button("Fit", () => this.fit(), "Show all"),
      ),
    );
    this.listen();
    new ResizeObserver(() => (this.fitted ? this.fit() : this.apply())).observe(this.element);
  }

  /** Pixels of the screen between two places. */
  pixels(a: Point, b: Point): number {
    return Math.hypot(a.x - b.x, a.y - b.y) / this.metresPerPixel;
  }

  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0) return;
    this.center = { x: (this.low.x + this.high.x) / 2, y: (this.low.y + this.high.y) / 2 };
    const [wide, high] = [this.high.x - this.low.x, this.high.y - this.low.y];
    this.metresPerPixel = Math.max(wide / (width - 80), high / (height - 80), 0.01);
    this.fitted = true;
    this.apply();
  }

  private apply(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0) return;
    const m = this.metresPerPixel;
    const left = this.center.x - (width / 2) * m;
    const top = -this.center.y - (height / 2) * m;
    this.drawing.setAttribute("viewBox", `${left} ${top} ${width * m} ${height * m}`);
    const power = 10 ** Math.floor(Math.log10(150 * m));
    const length = [5, 2, 1].map((n) => n * power).find((n) => n <= 150 * m) ?? power;
    this.bar.style.width = `${length / m}px`;
    this.bar.textContent = `${+length.toPrecision(2)} m`;
  }

  private zoomCenter(): Point {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.focus) return this.center;
    const [dx, dy] = [this.focus.x - this.center.x, this.focus.y - this.center.y];
    const m = this.metresPerPixel;
    return Math.abs(dx) < (width / 2) * m && Math.abs(dy) < (height / 2) * m ? this.focus : this.center;
  }

  private zoom(factor: number, about: Point): void {
    this.fitted = false;
    this.metresPerPixel *= factor;
    this.center = {
      x: about.x + (this.center.x - about.x) * factor,
      y: about.y + (this.center.y - about.y) * factor,
    };
    this.apply();
  }

  private move(dx: number, dy: number): void {
    this.fitted = false;
    this.center = { x: this.center.x - dx * this.metresPerPixel, y: this.center.y + dy * this.metresPerPixel };
    this.apply();
  }

  private at(event: MouseEvent): Point {
    const box = this.drawing.getBoundingClientRect();
    return {
      x: this.center.x + (event.clientX - box.left - box.width / 2) * this.metresPerPixel,
      y: this.center.y - (event.clientY - box.top - box.height / 2) * this.metresPerPixel,
    };
  }

  private listen(): void {
    let dragged = -1; // pixels so far; negative: no button is down
    const target = this.drawing;
    target.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      dragged = 0;
      target.setPointerCapture(event.pointerId);
      target.focus({ preventScroll: true });
    });
    target.addEventListener("pointermove", (event) => {
      if (dragged < 0) return this.onHover(this.at(event));
      dragged += Math.abs(event.movementX) + Math.abs(event.movementY);
      if (dragged > 4) this.move(event.movementX, event.movementY);
    });
    target.addEventListener("pointerup", (event) => {
      if (dragged >= 0 && dragged <= 4) this.onClick(this.at(event));
      dragged = -1;
    });
    // A touch that becomes a scroll, or a window in front: no button comes up here.
    for (const end of ["pointercancel", "lostpointercapture"]) target.addEventListener(end, () => (dragged = -1));
    target.addEventListener("pointerleave", () => this.onHover(null));
    target.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && document.activeElement !== target) return; // the page scrolls past
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, this.at(event));
      },
      { passive: false },
    );
    target.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.move(60, 0),
      ArrowRight: () => this.move(-60, 0),
      ArrowUp: () => this.move(0, 60),
      ArrowDown: () => this.move(0, -60),
      "+": () => this.zoom(1 / 1.5, this.zoomCenter()),
      "-": () => this.zoom(1.5, this.zoomCenter()),
      "0": () => this.fit(),
    };
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
