/** A tree as a .deb, made with Debian's own tool. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../places.mjs';
import type { InstalledTree } from './installed-tree.ts';
import { copy, output, settle, write } from './place.ts';

/** `debian`: Debian's name of the processor; `elf`: that of AppImages. */
export const architectures: Readonly<Record<string, { debian: string; elf: string } | undefined>> =
  {
    x64: { debian: 'amd64', elf: 'x86_64' },
    arm64: { debian: 'arm64', elf: 'aarch64' },
  };

export interface Release {
  version: string;
  /** the time of every file, in unix seconds */
  moment: number;
  /** less compression, for tests */
  quick: boolean;
}

const scripts = ['postinst', 'prerm', 'postrm'];
const conffiles = {
  '/etc/dhcp/dhclient-enter-hooks.d/sotto': 'build/system/dhclient-enter-hook',
  '/etc/sotto/policy.d/README.md': 'build/package/debian/policy.md',
};
const line = (text: string) => `${text}\n`;
/** Chromium's own sandbox helper, which runs as root, for systems where other users may make no namespaces */
const sandbox = 'usr/lib/sotto/electron/chrome-sandbox';

export function makeDebianPackage(
  root: string,
  file: string,
  { withoutTray }: InstalledTree,
  release: Release,
): void {
  const hasTray = withoutTray === null;
  wrapAsDebianPackage(root, file, release, {
    templates: inRoot('build', 'package', 'debian'),
    conffiles,
    values: {
      recommends: ['nftables', passwordPrompt, ...(hasTray ? ofTheTray : [])].join(', '),
      tray: hasTray
        ? 'The tray and its window are inside.'
        : 'This package was made without the tray: its page opens in a browser.',
    },
    beforeWrapping: () => {
      if (hasTray) chmodSync(join(root, sandbox), 0o4755);
    },
  });
}

export interface DebianParts {
  /** the folder of `control` and the scripts */
  templates: string;
  /** files that an administrator may change, about which dpkg then asks, with their sources */
  conffiles: Readonly<Record<string, string>>;
  /** for `control`, besides those of every package */
  values: Readonly<Record<string, string>>;
  /** once every file has its mode and time */
  beforeWrapping?(): void;
}

/** The tree below `root`, with what Debian wants to know of it. */
export function wrapAsDebianPackage(
  root: string,
  file: string,
  release: Release,
  { templates, conffiles, values, beforeWrapping }: DebianParts,
): void {
  const template = (name: string) => readFileSync(join(templates, name), 'utf8');
  const units = readdirSync(join(root, 'usr', 'lib', 'systemd', 'system'))
    .filter((name) => !name.endsWith('.wants'))
    .sort()
    .join(' ');
  for (const name of scripts)
    write(join(root, 'DEBIAN', name), template(name).replaceAll('$UNITS', units), 0o755);
  for (const [path, source] of Object.entries(conffiles)) copy(inRoot(source), join(root, path));
  write(join(root, 'DEBIAN', 'conffiles'), Object.keys(conffiles).map(line).join(''));
  const files = filesBelow(join(root, 'usr'));
  const all: Readonly<Record<string, string>> = {
    ...values,
    version: release.version,
    architecture: architectures[process.arch]?.debian ?? process.arch,
    installedSize: `${Math.ceil(files.reduce((sum, path) => sum + statSync(path).size, 0) / 1024)}`,
    glibc: newestGlibc(files),
  };
  write(
    join(root, 'DEBIAN', 'control'),
    template('control').replace(/\$\{(\w+)\}/g, (_, name: string) => all[name] ?? ''),
  );
  settle(root, release.moment);
  beforeWrapping?.();
  const pace = release.quick ? ['-Zgzip', '-z1'] : ['-Zxz'];
  process.env['SOURCE_DATE_EPOCH'] = `${release.moment}`;
  output('dpkg-deb', ['--root-owner-group', ...pace, '--build', root, file]);
}

/** Bookworm's name, and the one of the releases before it; without it the window names the command instead. */
const passwordPrompt = 'pkexec | policykit-1';
/** the system's libraries that Electron loads */
const ofTheTray = ['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2'];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The newest symbol version that our programs name is the oldest C library with which they start. */
function newestGlibc(files: readonly string[]): string {
  const programs = files.filter((file) => /\/s?bin\/(node|sotto-\w+)$|\.node$/.test(file));
  const named = programs.flatMap((file) => [
    ...readFileSync(file, 'latin1').matchAll(/GLIBC_2\.(\d+)\0/g),
  ]);
  return `2.${Math.max(...named.map(([, minor]) => Number(minor)))}`;
}
