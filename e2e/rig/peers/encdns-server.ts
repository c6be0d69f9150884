/** sotto-server as the EncDNS server of a zone, and unbound that finds it there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, sottoServer } from '../available.ts';
import type { Lab } from '../lab.ts';
import { encodeQuery, parse } from '../message.ts';
import { freePort } from '../ports.ts';
import { type Exit, Program, succeed } from '../process.ts';
import { askUdp, type Endpoint } from '../raw-client.ts';
import { unboundConfiguration, zoneElsewhere } from './unbound-configuration.ts';

export const encdnsZone = 'enc.example';

export interface EncdnsServer extends Endpoint {
  pid: number;
  keyFile: string;
  /** encdns://enc.example?key=…, as it prints it itself */
  url: string;
  /** 64 hexadecimal digits */
  key: string;
  /** what became of the boxed queries so far */
  counters(): Promise<Record<string, number>>;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

interface EncdnsServerOptions {
  /** a machine of the lab; this one, if left out */
  on?: { start(command: string, args: string[]): Promise<Program> };
  /** of its UDP and TCP port; a free port of 127.0.0.1, if left out */
  listen?: string;
  /** `--zone FILE` or `--to ADDRESS` */
  answers: string[];
  /** the file of a key that is accepted still */
  olderKey?: string;
  /** the response to a query over UDP without a server's cookie; by default it is full */
  unproven?: 'full' | 'truncated';
  /** further words of its command line */
  options?: string[];
}

let count = 0;

export async function startEncdnsServer(
  lab: Lab,
  {
    on = Program,
    listen = '127.0.0.1:0',
    answers,
    olderKey,
    unproven = 'full',
    options = [],
  }: EncdnsServerOptions,
): Promise<EncdnsServer> {
  const keyFile = join(lab.directory, `encdns${++count}.key`);
  const url = (await succeed(sottoServer, ['encdns-key', '--zone', encdnsZone, keyFile])).trim();
  const keys = [keyFile, olderKey ?? []].flat().flatMap((file) => ['--encdns-key', file]);
  const words = [...answers, '--encdns', encdnsZone, ...keys];
  const doors = ['--starttls', listen, '--signal', 'decline', '--udp-unproven', unproven];
  const program = lab.adopt(await on.start(sottoServer, [...words, ...doors, ...options]));
  const [line] = await program.ready(async () => /^\{.*\}$/m.exec(program.stdout));
  const { starttls } = JSON.parse(line) as { starttls: string[] };
  const [address = '', port = ''] = starttls[0]?.split(':') ?? [];
  const key = url.slice(url.indexOf('=') + 1);
  const { pid } = program;
  const counters = () => boxesCounted(program);
  const stop = (signal?: NodeJS.Signals) => program.stop(signal);
  return { address, port: Number(port), pid, keyFile, url, key, counters, stop };
}

async function boxesCounted(program: Program): Promise<Record<string, number>> {
  const before = program.stdout.length;
  program.signal('SIGUSR1');
  const [line] = await program.ready(async () =>
    /^\{.*"encdns":.*\}$/m.exec(program.stdout.slice(before)),
  );
  return (JSON.parse(line) as { encdns: Record<string, number> }).encdns;
}

export interface Carrier extends Endpoint {
  /** each name that it was asked for, as its log has it */
  log(): string;
}

/** unbound, with further lines of its configuration; only the EncDNS zone leads anywhere. */
export async function unboundBefore(
  lab: Lab,
  server: Endpoint,
  ...lines: string[]
): Promise<Carrier> {
  return await unboundAs('stub', lab, server, lines);
}

/** The same, which takes the server for a resolver. */
export async function unboundForwarding(
  lab: Lab,
  server: Endpoint,
  ...lines: string[]
): Promise<Carrier> {
  return await unboundAs('forward', lab, server, lines);
}

async function unboundAs(
  kind: 'stub' | 'forward',
  lab: Lab,
  server: Endpoint,
  lines: string[],
): Promise<Carrier> {
  const at = { address: '127.0.0.1', port: await freePort() };
  const directory = join(lab.directory, `unbound-${at.port}`);
  await mkdir(directory);
  const file = join(directory, 'unbound.conf');
  const configuration = unboundConfiguration({
    interfaces: [`${at.address}@${at.port}`],
    server: ['do-not-query-localhost: no', 'root-hints: ""', 'log-queries: yes', ...lines],
    clauses: zoneElsewhere(kind, encdnsZone, `${kind}-addr: ${server.address}@${server.port}`),
  });
  await writeFile(file, configuration);
  const program = lab.adopt(await Program.start(locate('unbound'), ['-d', '-p', '-c', file]));
  await program.ready(
    async () => parse(await askUdp(at, encodeQuery('localhost', 'A'), 500)).rcode === 0,
  );
  return { ...at, log: () => program.stderr };
}
