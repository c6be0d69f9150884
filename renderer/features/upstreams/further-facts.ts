/** Fields that nothing here draws in words of its own: told all the same, by the names the contract gives them. Pure. */
import { safe, safeJson } from '../../../app/contract/text/visible-text.ts';

export function furtherFacts(
  fields: Readonly<Record<string, unknown>>,
  drawn: readonly string[],
): [key: string, value: string][] {
  return Object.entries(fields)
    .filter(([key, value]) => !drawn.includes(key) && value !== null && value !== undefined)
    .map(([key, value]) => [key, typeof value === 'string' ? safe(value) : safeJson(value)]);
}
