/** resolvconf, Debian's or openresolv: a record of our own beside those of the links. It has no ports. */
import { existsSync } from 'node:fs';
import { readText } from '../network/system-resolvers.ts';
import type { Helper } from './helper.ts';
import type { Mechanism, Observation } from './mechanism.ts';
import { followResolvConf, resolvConfLeadsAway } from './resolv-conf-file.ts';
import { throughHelper } from './through-helper.ts';

/** resolvectl has this name, too, where systemd-resolved is installed: then it is no resolvconf. */
const programs = ['/usr/sbin/resolvconf', '/sbin/resolvconf', '/usr/bin/resolvconf'];

export function resolvconfMechanism(
  helper: Helper,
  read = readText,
  exists: (file: string) => boolean = existsSync,
): Mechanism {
  return {
    name: 'resolvconf',
    perLink: false,
    anyPort: false,
    look: async () => sight(read, exists),
    ...throughHelper(helper, 'resolvconf', (_target, servers) => ({
      verb: 'take-resolvconf',
      servers,
    })),
    leadsAway: resolvConfLeadsAway,
    follow: followResolvConf,
  };
}

function sight(
  read: (file: string) => string | null,
  exists: (file: string) => boolean,
): Observation {
  const program = programs.find((file) => exists(file));
  if (program === undefined) return { usable: false, why: 'resolvconf is not installed.' };
  const text = read('/etc/resolv.conf') ?? '';
  if (/resolvconf/i.test(text.split(/^nameserver/m)[0] ?? ''))
    return { usable: true, why: `/etc/resolv.conf is written by ${program}.` };
  return {
    usable: false,
    why: `${program} is installed, but somebody else writes /etc/resolv.conf.`,
  };
}
