/**
 * Flatpak's applications read their runtime's nsswitch.conf and not the system's. Runtimes since org.freedesktop.Platform 21.08 ask
 * systemd-resolved by its Varlink socket, which Flatpak opens to applications with network access, whatever /etc/resolv.conf says
 * (flatpak/flatpak#4055 and #4876). Where Sotto leads programs here by that file, systemd-resolved asks its own resolvers for them.
 */
import { join } from 'node:path';
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { SystemDnsMechanism } from '../../../contract/system/system-dns.ts';
import { warn } from '../../doctor/finding.ts';
import type { Files } from './read-files.ts';

const folder = '/run/systemd/resolve';
const socket = `${folder}/io.systemd.Resolve`;

/** `home`: of the user as whom the service runs. */
export function findFlatpaksPast(
  files: Files,
  home: string,
  mechanism: SystemDnsMechanism | null,
): Finding[] {
  if (mechanism === 'resolved' || !files.list(folder).includes(socket)) return [];
  const installed = ['/var/lib/flatpak/app', join(home, '.local/share/flatpak/app')];
  const number = new Set(installed.flatMap((place) => files.list(place))).size;
  return number === 0
    ? []
    : [
        warn(
          'coverage',
          say('flatpaks-lead-past', { number }),
          say('lead-resolved-here'),
          'Flatpak',
        ),
      ];
}
