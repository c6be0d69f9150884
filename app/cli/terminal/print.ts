/** What a command found: a line of JSON where that is asked for, else lines for a person. */
import { safeJson } from '../../contract/text/visible-text.ts';
import type { Terminal } from './terminal.ts';

export function print(
  terminal: Terminal,
  { json }: { json?: boolean },
  data: unknown,
  lines: () => string | readonly string[],
): void {
  if (json) terminal.out(safeJson(data));
  else for (const line of [lines()].flat()) terminal.out(line);
}
