/** What `npm run package` makes, compressed little, because it is unpacked a moment later. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot, rendererOutput, target } from '../../build/places.mjs';
import { run } from '../system/process.ts';

const tools = { 'dpkg-deb': 'dpkg', mksquashfs: 'squashfs-tools', strip: 'binutils' } as const;
const made = ['sotto-guardian', 'sotto-helper', 'sotto-server', 'sotto-appimage'];

/** null: packages can be made here. */
export function whyNoPackages(): string | null {
  const folders = (process.env['PATH'] ?? '').split(':');
  for (const [tool, from] of Object.entries(tools))
    if (!folders.some((folder) => existsSync(join(folder, tool))))
      return `no ${tool}: apt-get install ${from}`;
  const missing = made.find((name) => !existsSync(join(target, 'release', name)));
  if (missing !== undefined) return `${missing} is not built: npm test builds it`;
  return existsSync(join(rendererOutput, 'index.html'))
    ? null
    : 'the page is not built: npm test builds it';
}

/** The file's path. */
export async function makePackage(kind: 'deb' | 'appimage', folder: string): Promise<string> {
  const words = ['--quick', '--only', kind, '--to', folder];
  const made = await run(process.execPath, [inRoot('build', 'package.ts'), ...words], {
    env: { SOURCE_DATE_EPOCH: '1790000000' },
    timeoutMs: 120_000,
  });
  if (made.code !== 0) throw new Error(`no package was made\n${made.stdout}${made.stderr}`);
  const [file] = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith(kind));
  return join(folder, file ?? '');
}
