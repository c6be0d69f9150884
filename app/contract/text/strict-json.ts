/** JSON in which nothing is lost: of two equal keys of one object `JSON.parse` forgets the first. */

/** Null: it is no JSON, or has a key twice. */
export function strictJson(text: string): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return hasKeyTwice(text, value) ? null : { value };
  } catch {
    return null;
  }
}

/** `value`: what `JSON.parse` makes of the text. */
export function hasKeyTwice(text: string, value: unknown): boolean {
  return keysIn(text) !== keysIn(JSON.stringify(value));
}

/** How many keys stand in a text that is JSON. */
function keysIn(json: string): number {
  const strings = new RegExp(stringAndBlanks, 'g');
  let keys = 0;
  while (strings.test(json)) if (json[strings.lastIndex] === ':') keys += 1;
  return keys;
}

const stringAndBlanks = /"[^"\\]*(?:\\.[^"\\]*)*"\s*/;
