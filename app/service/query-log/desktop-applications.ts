/**
 * What a desktop calls a program, and its icon (freedesktop.org, Desktop Entry Specification). A program's control group has
 * the name of its desktop file, so nothing is searched for.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface DesktopApplication {
  name: string;
  /** the icon's name in the icon theme, or its path */
  icon: string;
}

const nothing: DesktopApplication = { name: '', icon: '' };

/** A program that was just installed has its name after this time. */
const forgetAfterMs = 600_000;
const mostRemembered = 1024;
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

export function desktopApplications(
  folders: readonly string[],
  now: () => number = Date.now,
): (program: string) => DesktopApplication {
  const known = new Map<string, { read: number; application: DesktopApplication }>();
  return (program) => {
    if (!/^[\w.-]+$/.test(program)) return nothing;
    const before = known.get(program);
    if (before !== undefined && now() - before.read < forgetAfterMs) return before.application;
    if (known.size >= mostRemembered) known.clear();
    const application = find(folders, program);
    known.set(program, { read: now(), application });
    return application;
  };
}

/** Snap joins the snap's name and the application's by a line. */
function find(folders: readonly string[], program: string): DesktopApplication {
  for (const folder of folders)
    for (const file of [`${program}.desktop`, `${program}_${program}.desktop`]) {
      const application = readDesktopFile(join(folder, file));
      if (application !== null) return application;
    }
  return nothing;
}

function readDesktopFile(file: string): DesktopApplication | null {
  let text: string;
  try {
    if (statSync(file).size > longestFile) return null;
    text = readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const [, from = ''] = text.split(/^\[Desktop Entry\]$/m);
  const [entry = ''] = from.split(/^\[/m);
  const value = (key: string) =>
    new RegExp(`^${key} *= *(.*)$`, 'm').exec(entry)?.[1]?.trim() ?? '';
  return { name: value('Name'), icon: value('Icon') };
}
