/**
 * `npm run package`: the tree that is installed, as a .deb and as an AppImage, and the server's .deb, into dist/. `--quick`
 * compresses less; `--to FOLDER` writes them elsewhere; `--only deb`, `--only appimage` or `--only server` makes one of them.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeAppImage } from './package/app-image.ts';
import { architectures, makeDebianPackage, type Release } from './package/debian-package.ts';
import { layOut } from './package/installed-tree.ts';
import { output } from './package/place.ts';
import { makeServerPackage } from './package/server-package.ts';
import { inRoot, root } from './places.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    to: { type: 'string', default: inRoot('dist') },
    only: { type: 'string' },
  },
});
const folder = resolve(values.to);
const architecture = architectures[process.arch];
if (process.platform !== 'linux' || architecture === undefined) {
  console.error('Packages are made on Linux, for x64 and arm64; on other systems use npm start.');
  process.exit(1);
}

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { version: string };
const release: Release = { version, moment: lastChange(), quick: values.quick };
const names = {
  deb: `sotto_${version}_${architecture.debian}.deb`,
  server: `sotto-server_${version}_${architecture.debian}.deb`,
  appimage: `Sotto-${version}-${architecture.elf}.AppImage`,
};

const place = mkdtempSync(join(tmpdir(), 'sotto-package-'));
try {
  mkdirSync(folder, { recursive: true });
  if (wants('server'))
    await make(names.server, 'dpkg-deb', 'dpkg', (file) =>
      makeServerPackage(join(place, 'server'), file, release),
    );
  if (wants('deb') || wants('appimage')) await makeBoth(join(place, 'tree'));
} finally {
  rmSync(place, { recursive: true });
}

function wants(kind: keyof typeof names): boolean {
  return values.only === undefined || values.only === kind;
}

async function makeBoth(tree: string): Promise<void> {
  const laidOut = await step('the tree: programs, page, units, licences', () =>
    layOut(tree, version),
  );
  if (laidOut.withoutTray !== null) console.log(`  without the tray: ${laidOut.withoutTray}`);
  if (wants('appimage'))
    await make(names.appimage, 'mksquashfs', 'squashfs-tools', (file) =>
      makeAppImage(tree, file, release),
    );
  if (wants('deb'))
    await make(names.deb, 'dpkg-deb', 'dpkg', (file) =>
      makeDebianPackage(tree, file, laidOut, release),
    );
}

async function make(
  name: string,
  tool: string,
  from: string,
  how: (file: string) => void,
): Promise<void> {
  const file = join(folder, name);
  if (!isThere(tool)) {
    console.error(`✗ ${name}: ${tool} is missing (apt-get install ${from})`);
    process.exitCode = 1;
    return;
  }
  await step(name, () => how(file));
  const size = `${(statSync(file).size / 1e6).toFixed(0)} MB`;
  console.log(`  ${relative(root, file)}  ${size}`);
}

async function step<Value>(what: string, work: () => Value | Promise<Value>): Promise<Value> {
  const started = performance.now();
  console.log(`▸ ${what}`);
  const value = await work();
  console.log(`✓ ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return value;
}

function isThere(tool: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.some((one) => existsSync(join(one, tool)));
}

/** As https://reproducible-builds.org specifies; without it, the time of the last commit. */
function lastChange(): number {
  const given = Number(process.env['SOURCE_DATE_EPOCH']);
  if (given > 0) return given;
  return Number(output('git', ['log', '-1', '--format=%ct'], root));
}
