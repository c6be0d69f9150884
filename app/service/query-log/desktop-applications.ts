/**
 * What a desktop calls a program, and its icon (freedesktop.org, Desktop Entry Specification). A program's control group has
 * the name of its desktop file, so nothing is searched for.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { matchesGlob } from '../../contract/dns/name-pattern.ts';
import { asciiLower } from '../../contract/query-log/log-filter-words.ts';
import { readBounded } from '../base/bounded-file.ts';

export interface DesktopApplication {
  name: string;
  /** the icon's name in the icon theme, or its path */
  icon: string;
}

const nothing: DesktopApplication = { name: '', icon: '' };

/** A program that was just installed has its name after this time. */
const forgetAfterMs = 600_000;
const ending = '.desktop';
const longestFile = 256 * 1024;

export function desktopFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const own = env['XDG_DATA_HOME'] ?? (env['HOME'] ? join(env['HOME'], '.local/share') : null);
  const shared = (env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share').split(':');
  const exported = ['/var/lib/flatpak/exports/share', '/var/lib/snapd/desktop'];
  const ofOwn = own === null ? [] : [own, join(own, 'flatpak/exports/share')];
  return [...ofOwn, ...shared, ...exported]
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'applications'));
}

interface DesktopApplications {
  (program: string): DesktopApplication;
  /** The programs whose applications have this name; none where it is a program's own name. `name`: in lower case, or a pattern. */
  programsNamed(name: string): string[];
}

export function desktopApplications(
  folders: readonly string[],
  now: () => number = Date.now,
): DesktopApplications {
  let index = { read: Number.NEGATIVE_INFINITY, files: new Map<string, string>() };
  let known = new Map<string, DesktopApplication>();
  return Object.assign(applicationOf, { programsNamed });

  function refresh(): void {
    if (now() - index.read < forgetAfterMs) return;
    index = { read: now(), files: filesIn(folders) };
    known = new Map();
  }

  function applicationOf(program: string): DesktopApplication {
    refresh();
    const file = index.files.get(program) ?? index.files.get(`${program}_${program}`);
    if (file === undefined) return nothing;
    const application = known.get(program) ?? readDesktopFile(file) ?? nothing;
    known.set(program, application);
    return application;
  }

  function programsNamed(name: string): string[] {
    refresh();
    const programs = [...index.files.keys()].map((id) => id.replace(/^(.+)_\1$/, '$1'));
    if (programs.some((program) => asciiLower(program) === name)) return [];
    return programs.filter((program) => matchesGlob(name, asciiLower(applicationOf(program).name)));
  }
}

/** By name without its ending; of two, that of the earlier folder. Snap joins the snap's name and the application's by a line. */
function filesIn(folders: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of [...folders].reverse())
    for (const name of namesIn(folder))
      if (name.endsWith(ending)) files.set(name.slice(0, -ending.length), join(folder, name));
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readDesktopFile(file: string): DesktopApplication | null {
  const read = readBounded(file, longestFile);
  if ('reason' in read) return null;
  const [, from = ''] = read.octets.toString('utf8').split(/^\[Desktop Entry\]$/m);
  const [entry = ''] = from.split(/^\[/m);
  const value = (key: string) =>
    new RegExp(`^${key} *= *(.*)$`, 'm').exec(entry)?.[1]?.trim() ?? '';
  return { name: value('Name'), icon: value('Icon') };
}
