import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../lab.ts';

export interface Zone {
  /** without a trailing dot; `.` for the root */
  name: string;
  file: string;
}

let count = 0;

/** The empty name is the root. */
export async function writeZone(lab: Lab, name: string, lines: string[]): Promise<Zone> {
  const file = join(lab.directory, `${name || 'root'}.${++count}.zone`);
  await writeFile(file, `${[...header(name), ...lines].join('\n')}\n`);
  return { name: name || '.', file };
}

/** Negative answers live for 60 seconds (RFC 2308 section 4). */
function header(name: string): string[] {
  return [
    `$ORIGIN ${name}.`,
    '$TTL 300',
    '@ SOA ns hostmaster 1 3600 900 604800 60',
    '@ NS ns',
    'ns A 127.0.0.1',
  ];
}
