/** The lines that a real service has written to its journal so far. */
import { isDeepStrictEqual } from 'node:util';

/**
 * `wanted`: an event with at least these fields. The guardian beside the service writes lines of its own, not all of them JSON.
 */
export function isTold({ output }: { output: string }, wanted: Record<string, unknown>): boolean {
  const lines = output.split('\n').slice(0, -1);
  return lines.some((line) => {
    if (!line.startsWith('{')) return false;
    const said = JSON.parse(line) as Record<string, unknown>;
    return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(said[field], value));
  });
}
