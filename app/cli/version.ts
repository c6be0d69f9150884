import { readFileSync } from 'node:fs';
import { installed } from '../installation.ts';

export function readVersion(): string {
  return (JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string })
    .version;
}
