/** The packages of `npm run package`, with little compression, because they are unpacked a moment later. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addon, bundle, inRoot, rendererOutput, target } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import { run } from '../rig/process.ts';

type Kind = 'deb' | 'appimage' | 'server';

const names: Record<Kind, RegExp> = {
  deb: /^sotto_.*\.deb$/,
  appimage: /\.AppImage$/,
  server: /^sotto-server_.*\.deb$/,
};
const tools = { 'dpkg-deb': 'dpkg', mksquashfs: 'squashfs-tools', strip: 'binutils' } as const;
const made = ['sotto-guardian', 'sotto-helper', 'sotto-server', 'sotto-appimage'];

const contents = [
  ...made.map((name) => join(target, 'release', name)),
  ...[addon, bundle, rendererOutput],
  ...['build', 'docs/man', 'assets', 'package.json'].map((path) => inRoot(path)),
];
/** Some seconds, and minutes on a busy machine. */
const makingMs = 220_000;
/** Longer than making them ever takes. */
const abandonedMs = 300_000;

/** The reason why packages can't be made here; null: they can. */
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

/** The same for the server's package, which needs less. */
export function whyNoServerPackage(): string | null {
  const server = join(target, 'release', 'sotto-server');
  return existsSync(server) ? null : 'sotto-server is not built: npm test builds it';
}

/** The file's path. The first test that needs one makes both, for all; they are made anew once a file inside has changed. */
export async function madePackage(kind: Kind): Promise<string> {
  const folder = join(target, 'test-packages', stateOfContents());
  const making = `${folder}.making`;
  mkdirSync(dirname(folder), { recursive: true });
  await eventually(
    'packages are made',
    async () => {
      if (existsSync(folder)) return true;
      if (!mayMake(making)) return false;
      await makePackages(making).catch((error: unknown) => {
        rmSync(making, { recursive: true });
        throw error;
      });
      renameSync(making, folder);
      removeOlder(dirname(folder), folder);
      return true;
    },
    makingMs,
  );
  return await fileOf(kind, folder);
}

/** Makes them anew in any case. */
export async function makePackage(kind: Kind, folder: string): Promise<string> {
  await makePackages(folder, '--only', kind);
  return await fileOf(kind, folder);
}

async function makePackages(folder: string, ...words: string[]): Promise<void> {
  const made = await run(
    process.execPath,
    [inRoot('build', 'package.ts'), '--quick', ...words, '--to', folder],
    { env: { SOURCE_DATE_EPOCH: '1790000000' }, timeoutMs: makingMs },
  );
  if (made.code !== 0) throw new Error(`no package was made\n${made.stdout}${made.stderr}`);
}

async function fileOf(kind: Kind, folder: string): Promise<string> {
  const [file] = (await readdir(folder)).filter((name) => names[kind].test(name));
  return join(folder, file ?? '');
}

/** One test file makes them and the others wait, but not for one that died meanwhile. */
function mayMake(making: string): boolean {
  try {
    mkdirSync(making);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (Date.now() - statSync(making).ctimeMs < abandonedMs) return false;
    rmSync(making, { recursive: true });
    return false;
  }
  return true;
}

function removeOlder(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const made = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.POSITIVE_INFINITY;
    if (path !== current && Date.now() - made > abandonedMs)
      rmSync(path, { recursive: true, force: true });
  }
}

/** A digest of the sources of the packages, which changes with the size or date of any file. */
function stateOfContents(): string {
  const digest = createHash('sha256');
  for (const path of contents)
    for (const file of filesAt(path)) {
      const { size, mtimeMs } = statSync(file);
      digest.update(`${file} ${size} ${mtimeMs}\n`);
    }
  return digest.digest('hex').slice(0, 16);
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
