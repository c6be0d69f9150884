/**
 * Plain /etc/resolv.conf: it names us, and a change to other resolvers is noticed. While the file is ours, the helper writes
 * DHCP's resolvers beside it, and that is noticed, too (build/system/dhclient-enter-hook). It has no ports.
 */
import { lstatSync, watch } from 'node:fs';
import { nameservers, readText } from '../network/system-resolvers.ts';
import type { Helper } from './helper.ts';
import type { Holding, Mechanism } from './mechanism.ts';
import { throughHelper } from './through-helper.ts';

const folder = '/etc';
const name = 'resolv.conf';
/** what was there before, as sotto-helper keeps it */
const beforeUs = 'resolv.conf.before-sotto';

export function resolvConfFileMechanism(helper: Helper): Mechanism {
  return {
    name: 'file',
    perLink: false,
    anyPort: false,
    look: async () => ({ usable: true, why: sayFile() }),
    ...throughHelper(helper, 'file', (_target, servers) => ({ verb: 'take-file', servers })),
    leadsAway: resolvConfLeadsAway,
    follow: (listener) => followFiles([name, beforeUs], listener),
  };
}

export function followResolvConf(listener: () => void): () => void {
  return followFiles([name], listener);
}

/** A file without a server leads to loopback. */
export function resolvConfLeadsAway(held: readonly Holding[]): boolean {
  const ours = new Set(held.flatMap(({ servers }) => servers.map(({ address }) => address)));
  return nameservers(readText(`${folder}/${name}`)).some((address) => !ours.has(address));
}

/** The folder is watched, because a program that renames a new file into place leaves the old one unchanged. */
function followFiles(names: readonly string[], listener: () => void): () => void {
  const known = new Map<string, string | number | null>(names.map((file) => [file, stateOf(file)]));
  try {
    const watcher = watch(folder, { persistent: false }, (_event, file) => {
      if (file === null || !known.has(file)) return;
      const state = stateOf(file);
      if (state === known.get(file)) return;
      known.set(file, state);
      listener();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** The file's text, or where only its owner may read it, the time of its last change; null: there is no file. */
function stateOf(file: string): string | number | null {
  const path = `${folder}/${file}`;
  return readText(path) ?? lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? null;
}

function sayFile(): string {
  try {
    return lstatSync(`${folder}/${name}`).isSymbolicLink()
      ? '/etc/resolv.conf is a link to a file of somebody else; it would be replaced.'
      : '/etc/resolv.conf is a file.';
  } catch {
    return '/etc/resolv.conf does not exist; it would be made.';
  }
}
