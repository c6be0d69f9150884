/** The tree as an AppImage of type 2: our runtime (native/appimage), and behind it the tree as a squashfs. */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, target } from '../places.mjs';
import type { Release } from './debian-package.ts';
import { appRun } from './launcher.ts';
import { copy, link, output, settle, write } from './place.ts';

/** Units, accounts and polkit's actions are for the machine's service; one person's Sotto has none. */
const ofTheMachine = [
  ...['lib/systemd', 'lib/sysusers.d', 'lib/tmpfiles.d'],
  ...['lib/sotto/bin/sotto-protect', 'share/polkit-1'],
];

export function makeAppImage(root: string, file: string, { moment, quick }: Release): void {
  const place = mkdtempSync(join(tmpdir(), 'sotto-appimage-'));
  try {
    const folder = join(place, 'AppDir');
    mkdirSync(folder);
    cpSync(join(root, 'usr'), join(folder, 'usr'), { recursive: true, verbatimSymlinks: true });
    for (const name of ofTheMachine) rmSync(join(folder, 'usr', name), { recursive: true });
    write(join(folder, 'AppRun'), appRun, 0o755);
    copy(inRoot('build', 'package', 'sotto.desktop'), join(folder, 'sotto.desktop'));
    copy(inRoot('assets', 'icons', 'sotto.svg'), join(folder, 'sotto.svg'));
    link('sotto.svg', join(folder, '.DirIcon'));
    settle(folder, moment);
    const image = join(place, 'image');
    const pace = quick ? ['-Xcompression-level', '1'] : ['-Xcompression-level', '12'];
    output('mksquashfs', [
      ...[folder, image, '-comp', 'zstd', ...pace, '-b', '256K'],
      ...['-root-owned', '-no-xattrs', '-no-progress', '-quiet', '-no-exports'],
    ]);
    const inside = readFileSync(image);
    const name = createHash('sha256').update(inside).digest('hex').slice(0, 32);
    writeFileSync(file, Buffer.concat([markedRuntime(place), inside, Buffer.from(name)]));
    chmodSync(file, 0o755);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** The runtime has no symbols; desktops recognise the type by these octets in ELF's padding. */
function markedRuntime(place: string): Buffer {
  const stripped = join(place, 'runtime');
  output('strip', ['--strip-debug', '-o', stripped, join(target, 'release', 'sotto-appimage')]);
  const runtime = readFileSync(stripped);
  runtime.write('AI\x02', 8, 'latin1');
  return runtime;
}
