// Everything that comes from the data goes in as text: nothing here parses markup.
import { upperFirst } from "./format";

type Attributes = Record<string, string | number | boolean | EventListener | undefined>;
type Child = Node | string | null | undefined | false;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** A part of the page: a heading and one sentence that says what one sees. */
export function section(id: string, title: string, sentence: string, ...children: Child[]): HTMLElement {
  return h("section", { id }, h("h2", {}, title), h("p", { class: "lead" }, sentence), ...children);
}

/** Makes a part of the page; what goes wrong there is told in its place and to the console, and the rest is shown. */
export function guarded(id: string, make: () => HTMLElement): HTMLElement {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return h(
      "section",
      { id },
      h("h2", {}, upperFirst(id)),
      h("p", { class: "warning" }, `This part cannot be shown: ${messageOf(error)}`),
    );
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const muted = (text: string): HTMLElement => h("p", { class: "muted" }, text);

export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const box = h("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
  return h("label", { class: "toggle" }, box, label);
}

export function button(label: string, click: () => void, title?: string): HTMLButtonElement {
  return h("button", { type: "button", onclick: click, title, "aria-label": title }, label);
}

export function choice(label: string, options: [value: string, text: string][], change: (value: string) => void) {
  const select = h(
    "select",
    { onchange: () => change(select.value) },
    ...options.map(([value, text]) => h("option", { value }, text)),
  );
  return h("label", { class: "toggle" }, label, select);
}

/** For data that cannot be drawn: says so in the host and lets the error go on to the console. */
export const unreadable =
  (host: HTMLElement) =>
  (error: unknown): never => {
    host.append(h("p", { class: "over" }, `This cannot be drawn: ${messageOf(error)}`));
    throw error;
  };

/** Calls once, when the element comes near the window or the browser has nothing else to do. */
export function whenNear(element: Element, call: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    observer.disconnect();
    call();
  };
  const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && once(), {
    rootMargin: "600px",
  });
  observer.observe(element);
  // Printing does not wait: by then everything should be there.
  const idle = window.requestIdleCallback ?? ((late: () => void) => setTimeout(late, 0));
  setTimeout(() => idle(once), 1500);
}
