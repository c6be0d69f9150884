/** Prints a command's result: a line of JSON with --json, else lines for a person. */
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
