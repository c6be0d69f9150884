/** Where a dragged line goes. Pure. */

export type Edge = 'before' | 'after';

export interface Drag {
  /** the line that is dragged now */
  id: string | null;
  begin(id: string | null): void;
  drop(edge: Edge): void;
}

/** The half of a line that the pointer is on. */
export function edgeAt(pointer: number, top: number, height: number): Edge {
  return pointer < top + height / 2 ? 'before' : 'after';
}

/** Its place afterwards, from 0; null: it does not move. */
export function placeAfterDrop(from: number, onto: number, edge: Edge): number | null {
  const gap = edge === 'before' ? onto : onto + 1;
  const to = gap > from ? gap - 1 : gap;
  return to === from ? null : to;
}
