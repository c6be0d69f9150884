/** Reads fields of a foreign file leniently, and tells each field that nobody read. */
import type { Located } from './read-foreign.ts';
import type { Taken } from './taken.ts';

export function mapOf(located: Located | undefined): ReadonlyMap<string, Located> {
  return located?.kind === 'map' ? located.fields : new Map();
}

export function itemsOf(located: Located | undefined): readonly Located[] {
  return located?.kind === 'list' ? located.items : [];
}

/** null: there is none, or it is no scalar */
export function textOf(located: Located | undefined): string | null {
  return located?.kind === 'scalar' && located.value !== null ? String(located.value) : null;
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
