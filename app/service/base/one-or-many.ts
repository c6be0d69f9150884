/** What may be said as one or as several, as several. */
export function list<Item>(oneOrMany: Item | readonly Item[]): readonly Item[] {
  return Array.isArray(oneOrMany) ? oneOrMany : [oneOrMany as Item];
}
