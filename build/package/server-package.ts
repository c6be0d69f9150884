/** `sotto-server` as a .deb of its own: the program, its units, its manual and an example of its settings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inRoot, target } from '../places.mjs';
import { type Release, wrapAsDebianPackage } from './debian-package.ts';
import { copy, copyProgram, write } from './place.ts';
import { crateNotices } from './third-party-notices.ts';

const name = 'sotto-server';
const system = (file: string) => inRoot('build', 'system', 'server', file);
const page = `${name}.8`;

/** `root` is empty. */
export function makeServerPackage(root: string, file: string, release: Release): void {
  const share = join(root, 'usr', 'share');
  const lib = join(root, 'usr', 'lib');
  copyProgram(join(target, 'release', name), join(root, 'usr', 'sbin', name));
  for (const unit of readdirSync(system('')).filter((file) => /\.(service|socket)$/.test(file)))
    copy(system(unit), join(lib, 'systemd', 'system', unit));
  copy(system('sysusers.conf'), join(lib, 'sysusers.d', `${name}.conf`));
  copy(system('tmpfiles.conf'), join(lib, 'tmpfiles.d', `${name}.conf`));
  const manual = readFileSync(inRoot('docs', 'man', page), 'utf8');
  write(join(share, 'man', 'man8', `${page}.gz`), gzipSync(manual, { level: 9 }));
  write(join(share, 'doc', name, 'copyright'), copyright);
  write(join(share, 'doc', name, 'third-party.txt'), crateNotices());
  wrapAsDebianPackage(root, file, release, {
    templates: inRoot('build', 'package', 'server'),
    conffiles: { [`/etc/${name}/${name}.toml`]: 'build/system/server/sotto-server.toml' },
    values: {},
  });
}

const copyright = [
  'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
  'Upstream-Name: Sotto',
  '',
  'Files: *',
  'Copyright: the authors of Sotto',
  'License: Apache-2.0',
  ' On Debian systems the text is in /usr/share/common-licenses/Apache-2.0. The crates that are compiled',
  ' into the program, with their texts: third-party.txt.',
  '',
].join('\n');
