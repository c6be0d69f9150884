/** The small C programs of this folder, built with the machine's compiler. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../e2e/rig/process.ts';
import { fromDebian } from './debian.ts';
import { workshop } from './places.ts';

export function builtPath(name: string): string {
  return join(workshop, name);
}

/** Null when it is built; otherwise the reason why it is not. */
export async function compile(name: string): Promise<string | null> {
  const missing = await fromDebian('cc', 'gcc');
  if (missing !== null) return missing;
  await mkdir(workshop, { recursive: true });
  const source = join(import.meta.dirname, 'native', `${name}.c`);
  const { code, stderr } = await run('cc', ['-O2', '-o', builtPath(name), source]);
  return code === 0 ? null : `cc ${source} ended with ${code}: ${stderr}`;
}
