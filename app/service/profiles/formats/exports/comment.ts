/** What stands at the head of each file, and each finding in it, so that whoever reads the file alone knows what it leaves out. */
import { safe } from '../../../../contract/text/visible-text.ts';
import type { Finding } from '../finding.ts';
import type { ExportSource } from './export-source.ts';

/** Lines without the sign that begins a comment. No text in them can end one. */
export function headOf(
  { id, name, issuer }: ExportSource,
  place: string,
  findings: readonly Finding[],
): string[] {
  return [
    `Made by "sotto profile export" from "${name}" of ${issuer} (${id}).`,
    place,
    ...(findings.length === 0 ? [] : ['What this file does not say:']),
    ...findings.map(({ about, text }) => `  ${about}: ${text}`),
  ].map(safe);
}

export function hashed(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join('');
}
