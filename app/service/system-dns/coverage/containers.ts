/**
 * Containers have a loopback of their own, so that a resolver named there is not us. Docker gives them the system's nameservers
 * without those on loopback; where none is left, it gives them a public one, in cleartext (its documentation of "--dns" says
 * which). Podman does likewise.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import { ok, warn } from '../../doctor/finding.ts';
import { nameservers } from '../../network/system-resolvers.ts';
import { type Files, readJson } from './read-files.ts';

const daemonFile = '/etc/docker/daemon.json';
const daemon = z.object({ dns: z.array(z.string()).default([]) });

const running = [
  { engine: 'Docker', folder: '/var/lib/docker/containers', inside: 'resolv.conf' },
  {
    engine: 'Podman',
    folder: '/var/lib/containers/storage/overlay-containers',
    inside: 'userdata/resolv.conf',
  },
];
const rootless = {
  engine: 'Podman',
  folder: '.local/share/containers/storage/overlay-containers',
  inside: 'userdata/resolv.conf',
};

/** Addresses of ours that containers reach are those of bridges, never of loopback. */
export function findContainersPast(
  files: Files,
  home: string,
  listening: readonly string[],
): Finding[] {
  const ours = (server: string) => listening.includes(`${server}:53`);
  const places = [...running, { ...rootless, folder: join(home, rootless.folder) }];
  const found = places.flatMap(({ engine, folder, inside }) =>
    files.list(folder).flatMap((container) => {
      const servers = nameservers(files.read(join(container, inside)));
      const past = servers.filter((server) => !ours(server) && !isEmbedded(server));
      const id = container.split('/').at(-1)?.slice(0, 12) ?? '';
      return past.length === 0 ? [] : [goesPast(engine, id, past)];
    }),
  );
  const docker = daemonOf(files, ours);
  return docker === null ? found : [docker, ...found];
}

/** Docker's own resolver inside a container; it forwards through its daemon, from the machine itself. */
function isEmbedded(server: string): boolean {
  return server === '127.0.0.11';
}

function daemonOf(files: Files, ours: (server: string) => boolean): Finding | null {
  if (files.list('/etc/docker').length + files.list('/var/lib/docker').length === 0) return null;
  const { dns } = daemon.catch({ dns: [] }).parse(readJson(files, daemonFile));
  if (dns.length > 0 && dns.every(ours)) return ok('coverage', say('docker-leads-here'), 'Docker');
  return warn(
    'coverage',
    dns.length > 0
      ? say('docker-leads-past', { servers: dns.join(', '), file: daemonFile })
      : say('docker-unable'),
    say('lead-docker-here', { file: daemonFile }),
    'Docker',
  );
}

function goesPast(engine: string, id: string, servers: readonly string[]): Finding {
  return warn(
    'coverage',
    say('container-leads-past', { engine, id, servers: servers.join(', ') }),
    say('restart-container'),
    `${engine} ${id}`,
  );
}
