/**
 * Reads fields of a foreign file, and tells each field that nobody read. What stands where the other program has something else,
 * such as a word in the place of a list, stops the reading: nobody knows what it means there.
 */
import { type Located, Unreadable } from './read-foreign.ts';
import type { Taken } from './taken.ts';

export function mapOf(located: Located | undefined): ReadonlyMap<string, Located> {
  return isThere(located, 'map') ? located.fields : new Map();
}

export function itemsOf(located: Located | undefined): readonly Located[] {
  return isThere(located, 'list') ? located.items : [];
}

/** null: there is none */
export function textOf(located: Located | undefined): string | null {
  return isThere(located, 'scalar') ? String(located.value) : null;
}

const words = { map: 'fields', list: 'a list', scalar: 'one value' } as const;

function isThere<Kind extends Located['kind']>(
  located: Located | undefined,
  kind: Kind,
): located is Extract<Located, { kind: Kind }> {
  if (located === undefined || (located.kind === 'scalar' && located.value === null)) return false;
  if (located.kind === kind) return true;
  throw new Unreadable(
    `${words[kind]} should stand here, and not ${words[located.kind]}`,
    located.line,
  );
}

export function textsOf(located: Located | undefined): string[] {
  return itemsOf(located).flatMap((one) => textOf(one) ?? []);
}

export function isYes(located: Located | undefined): boolean {
  return ['1', 'true', 'yes'].includes((textOf(located) ?? '').toLowerCase());
}

export type Readers = Readonly<Record<string, (field: Located) => void>>;

/** `prefix`: where the fields are, with its dot. */
export function eachField(
  fields: ReadonlyMap<string, Located>,
  taken: Taken,
  readers: Readers,
  prefix = '',
): void {
  for (const [key, field] of fields) {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined)
      taken.tell(`${prefix}${key}`, 'left out: Sotto takes nothing from it', field.line);
    else reader(field);
  }
}
