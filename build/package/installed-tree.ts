/**
 * The tree that is installed, `usr/` (docs/design/packaging.md): programs in lib/sotto, files that people and the system look for
 * in bin and share, units in lib/systemd.
 */
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { manualPages } from '../../app/cli/manual/manual-pages.ts';
import { packagedNode } from '../packaged-node.mjs';
import { addon, bundle, inRoot, rendererOutput, target } from '../places.mjs';
import { thisPlatform } from '../shipped-lock.mjs';
import { electronPart } from './electron-part.ts';
import { sottoScript, windowScript } from './launcher.ts';
import { loadedModules } from './loaded-modules.ts';
import { copy, copyProgram, link, output, requireLocked, write } from './place.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const programs = ['sotto-guardian', 'sotto-helper'];
/** packages that the bundle does not contain: one loads a native library, the other has 2 MB that are seldom needed */
const modules = ['better-sqlite3', 'tldts'];
const sqliteLibrary = join('node_modules', 'better-sqlite3', 'prebuilds', `${thisPlatform}.node`);

export interface InstalledTree {
  /** null: Electron is inside; else the reason why it is not */
  withoutTray: string | null;
}

/** `version` as in package.json; `root` is empty and gets `usr/`. */
export async function layOut(root: string, version: string): Promise<InstalledTree> {
  const lib = join(root, 'usr', 'lib', 'sotto');
  const share = join(root, 'usr', 'share');
  const node = join(lib, 'bin', 'node');

  copy(packagedNode() ?? 'node', node);
  chmodSync(node, 0o755);
  requireLocked('node', node);
  for (const name of programs) copyProgram(join(target, 'release', name), join(lib, 'bin', name));
  copyProgram(addon, join(lib, 'addon', 'sotto.node'));
  write(join(lib, 'bin', 'sotto'), sottoScript, 0o755);
  write(join(lib, 'bin', 'sotto-window'), windowScript, 0o755);
  link('../lib/sotto/bin/sotto', join(root, 'usr', 'bin', 'sotto'));
  link('../lib/sotto/bin/sotto-helper', join(root, 'usr', 'sbin', 'sotto-helper'));

  copy(bundle, join(lib, 'program'));
  copy(rendererOutput, join(lib, 'renderer'));
  copy(inRoot('assets', 'data'), join(lib, 'assets', 'data'));
  write(
    join(lib, 'package.json'),
    `${JSON.stringify({ name: 'sotto', version, type: 'module' })}\n`,
  );
  const fromModules = loadedModules(node, modules);
  for (const file of fromModules) copy(inRoot(file), join(lib, file));
  requireLocked('better-sqlite3', join(lib, sqliteLibrary));
  const withoutTray = await electronPart(join(lib, 'electron'));

  copy(inRoot('build', 'package', 'sotto.desktop'), join(share, 'applications', 'sotto.desktop'));
  copy(
    inRoot('assets', 'icons', 'sotto.svg'),
    join(share, 'icons', 'hicolor', 'scalable', 'apps', 'sotto.svg'),
  );
  copy(inRoot('docs', 'schema'), join(share, 'sotto', 'schema'));
  await writeManual(join(share, 'man'));
  writeCompletions(join(lib, 'bin', 'sotto'), share);
  writeDocumentation(join(share, 'doc', 'sotto'));
  write(join(share, 'doc', 'sotto', 'third-party.txt'), thirdPartyNotices());
  installUnits(join(root, 'usr', 'lib'));
  installAuthority(lib, share);
  requireKnownPrograms(root);
  return { withoutTray };
}

/** Refuses binaries that we neither compiled nor checked, for example another native module. */
function requireKnownPrograms(root: string): void {
  const known = /^usr\/lib\/sotto\/(bin\/(node|sotto-\w+)|addon\/sotto\.node|electron\/.+)$/;
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => readHead(join(root, file)).equals(elf))
    .filter((file) => !known.test(file) && !file.endsWith(sqliteLibrary));
  if (found.length > 0)
    throw new Error(`nobody vouches for ${found.join(', ')}: lock it in build/shipped-lock.json`);
}

const elf = Buffer.from('\x7fELF', 'latin1');

function readHead(file: string): Buffer {
  const head = Buffer.alloc(elf.length);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, head);
  closeSync(descriptor);
  return head;
}

/**
 * The manual pages of `sotto` are made from its declarations. Those of the Rust programs are files, and only for programs that
 * are inside.
 */
async function writeManual(folder: string): Promise<void> {
  const files = inRoot('docs', 'man');
  const pages = await manualPages();
  const isOf = (name: string) => (program: string) =>
    name.match(/^[^.]+/)?.[0] === program || name.startsWith(`${program}-`);
  for (const name of readdirSync(files).filter((file) => programs.some(isOf(file))))
    pages.set(name, readFileSync(join(files, name), 'utf8'));
  for (const [name, page] of pages)
    write(join(folder, `man${name.at(-1)}`, `${name}.gz`), gzipSync(page, { level: 9 }));
}

function writeCompletions(sotto: string, share: string): void {
  const places = {
    bash: join('bash-completion', 'completions', 'sotto'),
    zsh: join('zsh', 'vendor-completions', '_sotto'),
    fish: join('fish', 'vendor_completions.d', 'sotto.fish'),
  };
  for (const [shell, place] of Object.entries(places))
    write(join(share, place), output(sotto, ['completion', shell]));
}

function writeDocumentation(folder: string): void {
  write(
    join(folder, 'copyright'),
    [
      'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
      'Upstream-Name: Sotto',
      '',
      'Files: *',
      'Copyright: the authors of Sotto',
      'License: Apache-2.0',
      ' On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.',
      '',
      'Files: usr/lib/sotto/*',
      'Copyright: the authors of what is inside',
      'License: various',
      ' Node.js, and the packages and crates that are compiled into the program, with their texts: third-party.txt.',
      '',
    ].join('\n'),
  );
}

function installUnits(lib: string): void {
  const source = (name: string) => inRoot('build', 'system', name);
  for (const unit of readdirSync(inRoot('build', 'system')).filter(isUnit))
    copy(source(unit), join(lib, 'systemd', 'system', unit));
  // This unit is part of every boot, whatever is enabled, because it finds out whether the service will start.
  link(
    '../sotto-give-back.service',
    join(lib, 'systemd', 'system', 'sysinit.target.wants', 'sotto-give-back.service'),
  );
  copyScript('sotto-stop', join(lib, 'sotto'));
  copy(source('sysusers.conf'), join(lib, 'sysusers.d', 'sotto.conf'));
  copy(source('tmpfiles.conf'), join(lib, 'tmpfiles.d', 'sotto.conf'));
}

/** What an administrator may run from the window, and the actions that say so to polkit. */
function installAuthority(lib: string, share: string): void {
  copyScript('sotto-protect', lib);
  const actions = join(share, 'polkit-1', 'actions', 'org.sotto.policy');
  copy(inRoot('build', 'system', 'org.sotto.policy'), actions);
}

function copyScript(name: string, lib: string): void {
  copy(inRoot('build', 'system', name), join(lib, 'bin', name));
  chmodSync(join(lib, 'bin', name), 0o755);
}

const isUnit = (name: string) => /\.(service|socket)$/.test(name);
