/** Which Sotto this is, and since when it can exist. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { installed } from '../../installation.ts';

const packageFile = installed('package.json');

export function programVersion(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')))
    .version;
}

/** Unix milliseconds of a moment that has certainly passed: our own files were there. */
export function builtAt(): number {
  return statSync(packageFile).mtimeMs;
}
