/** Fields without a text of their own on this page: shown all the same, by their names in the contract. Pure. */
import { safe, safeJson } from '../../../app/contract/text/visible-text.ts';

export function furtherFacts(
  fields: Readonly<Record<string, unknown>>,
  drawn: readonly string[],
): [key: string, value: string][] {
  return Object.entries(fields)
    .filter(([key, value]) => !drawn.includes(key) && value !== null && value !== undefined)
    .map(([key, value]) => [key, typeof value === 'string' ? safe(value) : safeJson(value)]);
}
