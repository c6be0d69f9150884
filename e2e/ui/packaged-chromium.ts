/** Chromium from the package @sparticuz/chromium, unpacked once into target/chromium. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot, target } from '../../build/places.mjs';
import { succeed } from '../rig/process.ts';

/** Some seconds; where every test file begins with it at once, many. */
const unpackingMs = 200_000;
const folder = join(target, 'chromium');
const packed = inRoot('node_modules', '@sparticuz', 'chromium', 'bin');

const fontList = 'our-fonts.conf';
/** The package's own list names places in the cloud for which it was made. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;

export async function unpackedChromium() {
  if (!existsSync(folder)) await unpack();
  const env: Record<string, string> = { FONTCONFIG_FILE: join(folder, fontList) };
  // Its own libraries are used only where the system lacks them, because they are older.
  if (!systemHasNss()) env['LD_LIBRARY_PATH'] = join(folder, 'al2023', 'lib');
  return { executablePath: join(folder, 'chromium'), env };
}

/** Two test files may begin at once: each unpacks into a folder of its own, and the first that is complete is kept. */
async function unpack(): Promise<void> {
  const beside = await mkdtemp(`${folder}-`);
  const script = `
    const { inflate } = await import('@sparticuz/chromium');
    const { readdirSync } = await import('node:fs');
    for (const file of readdirSync(${JSON.stringify(packed)})) await inflate(${JSON.stringify(`${packed}/`)} + file);`;
  await succeed(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: inRoot(),
    env: { TMPDIR: beside },
    timeoutMs: unpackingMs,
  });
  await writeFile(join(beside, fontList), fonts);
  await rename(beside, folder).catch(() => rm(beside, { recursive: true, force: true }));
}

function systemHasNss(): boolean {
  const places = ['/usr/lib', '/usr/lib64', '/lib64', ...multiarch()];
  return places.some((place) => existsSync(join(place, 'libnss3.so')));
}

function multiarch(): string[] {
  return readdirSync('/usr/lib')
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join('/usr/lib', name));
}
