// Light or dark: the system's choice until the reader makes another; always light on paper.

export type Theme = "light" | "dark";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners: ((theme: Theme) => void)[] = [];
const printListeners: ((on: boolean) => void)[] = [];
let chosen: Theme | null = null;
let printing = false;

export function theme(): Theme {
  if (printing) return "light";
  return chosen ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  const now = theme();
  if (document.documentElement.dataset.theme === now) return;
  document.documentElement.dataset.theme = now;
  for (const listener of listeners) listener(now);
}

/** For what is drawn on a canvas: called with every change, not at first. */
export const onTheme = (listener: (theme: Theme) => void): void => void listeners.push(listener);

/** For what is laid out otherwise on paper: called before printing with true, after it with false. */
export const onPrint = (listener: (on: boolean) => void): void => void printListeners.push(listener);

export function switchTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  apply();
}

export function startThemes(): void {
  const print = (on: boolean) => {
    if (printing === on) return;
    printing = on;
    apply();
    for (const listener of printListeners) listener(on);
  };
  system.addEventListener("change", apply);
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  window.matchMedia("print").addEventListener("change", (event) => print(event.matches));
  apply();
}

/** The value of a colour of style.css, by its name there. */
export const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
