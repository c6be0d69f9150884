/**
 * The results of a measurement: a table in docs/measurements that names its command and its commit, and the whole run in
 * target/measurements, which is no part of the repository.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { inRoot, root } from '../../build/places.mjs';

export const tables = inRoot('docs', 'measurements');
const measuredFolder = inRoot('target', 'measurements');

/** `measured`: everything that fits into JSON. */
export async function keepMeasurement(
  name: string,
  table: string,
  measured: unknown,
): Promise<void> {
  await mkdir(measuredFolder, { recursive: true });
  await mkdir(tables, { recursive: true });
  await writeFile(measuredFile(name), `${JSON.stringify(measured, null, 1)}\n`);
  await writeFile(join(tables, `${name}.md`), `${table.trimEnd()}\n\n${origin()}\n`);
  console.log(`written: docs/measurements/${name}.md, and ${measuredFile(name)}`);
}

/** The last run in this folder; null where none was kept. */
export async function lastMeasured<Measured>(name: string): Promise<Measured | null> {
  const file = measuredFile(name);
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Measured) : null;
}

/** The commit lacks later changes of the files, so the text says whether there are any. */
function origin(): string {
  const script = process.env['npm_lifecycle_event'];
  const command =
    script === undefined
      ? ['node', relative(root, process.argv[1] ?? '')]
      : ['npm', 'run', script, '--'];
  const words = [...command, ...process.argv.slice(2)].join(' ').replace(/ --$/, '');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs') !== '';
  const commit = git('rev-parse', '--short', 'HEAD').trim();
  return `Command: \`${words}\`; commit: ${commit}${changed ? ', with changes that are in no commit' : ''}.`;
}

/** The file of a run, whether it exists or not. */
export function measuredFile(name: string): string {
  return join(measuredFolder, `${name}.json`);
}
