/** A value that may be one or several, as a list. */
export function list<Item>(oneOrMany: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(oneOrMany) ? oneOrMany : [oneOrMany as Item];
}
