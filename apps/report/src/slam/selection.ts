/** The loop that the reader looks at, by its position among the candidates; all parts of the page follow it. */
export class Selection {
  private readonly listeners: ((loop: number) => void)[] = [];
  private selected = -1;

  get loop(): number {
    return this.selected;
  }
  select(loop: number): void {
    this.selected = loop;
    for (const listener of this.listeners) listener(loop);
  }
  follow(listener: (loop: number) => void): void {
    this.listeners.push(listener);
  }
}
