/** The loop that the reader looks at, by its position among the candidates; all parts of the page follow it. */
export class Selection {
  private readonly listeners: ((loop: number, from: unknown) => void)[] = [];
  private selected = -1;

  get loop(): number {
    return this.selected;
  }
  select(loop: number, from?: unknown): void {
    this.selected = loop;
    for (const listener of this.listeners) listener(loop, from);
  }
  follow(listener: (loop: number, from: unknown) => void): void {
    this.listeners.push(listener);
  }
}
