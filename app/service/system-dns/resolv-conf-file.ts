/** Plain /etc/resolv.conf: it names us, and who names others there again is noticed. It has no ports. */
import { lstatSync, watch } from 'node:fs';
import { readText } from '../network/system-resolvers.ts';
import type { Helper } from './helper.ts';
import type { Mechanism } from './mechanism.ts';
import { throughHelper } from './through-helper.ts';

const folder = '/etc';
const name = 'resolv.conf';

export function resolvConfFileMechanism(helper: Helper): Mechanism {
  return {
    name: 'file',
    perLink: false,
    anyPort: false,
    look: async () => ({ usable: true, why: sayFile() }),
    ...throughHelper(helper, 'file', (_target, servers) => ({ verb: 'take-file', servers })),
    follow: followResolvConf,
  };
}

/** The folder is watched, because who renames a new file into place leaves the old one unchanged. */
export function followResolvConf(listener: () => void): () => void {
  let before = readText(`${folder}/${name}`);
  try {
    const watcher = watch(folder, { persistent: false }, (_event, file) => {
      if (file !== name) return;
      const text = readText(`${folder}/${name}`);
      if (text === before) return;
      before = text;
      listener();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
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
