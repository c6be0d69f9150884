/** Who carries the boxes in the demo of EncDNS: a real unbound where there is one, otherwise sotto-server as a plain forwarder. */
import { accessSync, constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inRoot } from '../places.mjs';
import { freePortFrom } from './free-port.ts';
import { Program } from './program.ts';

export const boxedZone = 'boxes.demo.example';

export interface Carrier {
  program: Program;
  /** ip:port */
  address: string;
  /** what it saw, in one sentence; null: it keeps no record */
  saw(): Promise<string | null>;
}

/** `server`: ip:port of the EncDNS server. */
export async function startCarrier(home: string, server: string): Promise<Carrier> {
  const unbound = findUnbound();
  const port = await freePortFrom(5400);
  return unbound === null ? forwarder(server, port) : await resolver(unbound, home, server, port);
}

/** Daemons are often installed where only root looks. */
function findUnbound(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'unbound')).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function resolver(
  unbound: string,
  home: string,
  server: string,
  port: number,
): Promise<Carrier> {
  const [file, log] = [join(home, 'unbound.conf'), join(home, 'unbound.log')];
  const lines = [
    'server:',
    ...['use-syslog: no', 'log-queries: yes', `logfile: "${log}"`, 'username: ""', 'chroot: ""'],
    ...['pidfile: ""', `directory: "${home}"`, 'module-config: "iterator"', 'root-hints: ""'],
    ...[`interface: 127.0.0.1@${port}`, 'do-not-query-localhost: no'],
    'stub-zone:',
    ...[`name: "${boxedZone}"`, `stub-addr: ${server.replace(':', '@')}`],
    'remote-control:',
    'control-enable: no',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return {
    program: new Program('unbound', unbound, ['-d', '-c', file]),
    address: `127.0.0.1:${port}`,
    saw: async () => sayWhatItSaw(await readFile(log, 'latin1').catch(() => '')),
  };
}

function forwarder(server: string, port: number): Carrier {
  const doors = ['--starttls', `127.0.0.1:${port}`, '--signal', 'decline'];
  const words = ['--to', server, ...doors, '--udp-unproven', 'full'];
  return {
    program: new Program('forwarder', inRoot('target', 'release', 'sotto-server'), words),
    address: `127.0.0.1:${port}`,
    saw: async () => null,
  };
}

/** Each line of its log ends with name, type and class of a query. */
export function sayWhatItSaw(log: string): string {
  const names = [...log.matchAll(/info: 127\.0\.0\.1 (\S.*)\. [A-Z]+ IN$/gm)].map(
    ([, name = '']) => name,
  );
  const others = names.filter((name) => !name.endsWith(`.${boxedZone}`));
  const carried = `unbound carried ${names.length - others.length} boxes`;
  return others.length === 0
    ? `${carried}, and saw no name that was asked for.`
    : `${carried}, and saw ${others.length} other names: ${others.slice(0, 5).join(', ')}`;
}
