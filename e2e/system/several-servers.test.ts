/**
 * Two servers behind HAProxy, as docs/admin/several-servers.md has it, of which one dies under load: as a process on this machine, and
 * as a whole machine of a network.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { describeWith, locate, sottoLab, sottoServer } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForFile } from '../rig/lab.ts';
import { Switch } from '../rig/network/switch.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run, succeed } from '../rig/process.ts';
import { Running } from '../rig/sotto-lab.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const page = inRoot('docs', 'admin', 'several-servers.md');
/** of each address, of which none makes more connections than a server allows one */
const clients = 4;
const seconds = 15;
const busy = 100;
const patienceMs = 120_000;

interface Handshakes {
  failed: number;
  failures: Record<string, number>;
}

/** A machine of the page, or this one. */
interface Machine {
  start(command: string, args: string[]): Promise<Program>;
  run: typeof run;
}

interface Site {
  client: Machine;
  /** of the clients */
  addresses: readonly string[];
  balancer: Machine;
  servers: [Machine, Machine];
  /** What the page says, with the addresses that are meant here. */
  place(said: string): string;
  /** what ends the first server */
  die(first: Program): Promise<unknown>;
}

const balancerAt = '192.0.2.1:853';
const servers = [
  { dot: '192.0.2.11:853', metrics: '192.0.2.11:9153' },
  { dot: '192.0.2.12:853', metrics: '192.0.2.12:9153' },
] as const;

describeWith(['haproxy', 'openssl', 'curl'], 'several servers behind a balancer', () => {
  const lab = labForFile();

  test(
    'when one dies, clients lose the connection they had and resume at the other',
    async () => {
      const here: Machine = { start: Program.start, run };
      const place = await onLoopback();
      const die = (first: Program) => first.stop('SIGKILL');
      await oneDies(lab, {
        client: here,
        balancer: here,
        servers: [here, here],
        addresses: ['127.0.2.1', '127.0.2.2', '127.0.2.3', '127.0.2.4'],
        place,
        die,
      });
    },
    patienceMs,
  );
});

describeWith(['a lab', 'haproxy', 'openssl', 'curl'], 'several servers in a network', () => {
  const lab = labForFile();

  test(
    'when a machine is gone without a word, clients lose the connection they had and resume at the other',
    async () => {
      const lan = await Switch.create(lab);
      const addresses = ['192.0.2.101', '192.0.2.102', '192.0.2.103', '192.0.2.104'];
      const client = await lan.plugIn(
        'client',
        addresses.map((each) => `${each}/24`),
      );
      const balancer = await lan.plugIn('balancer', ['192.0.2.1/24']);
      const one = await lan.plugIn('one', ['192.0.2.11/24']);
      const two = await lan.plugIn('two', ['192.0.2.12/24']);
      const die = () => one.ip('link', 'set', 'eth0', 'down');
      const place = (said: string) => said;
      await oneDies(lab, { client, balancer, addresses, servers: [one, two], place, die });
    },
    patienceMs,
  );
});

async function oneDies(lab: Lab, site: Site): Promise<void> {
  const authority = await CertificateAuthority.create(lab);
  const identity = await authority.issue({ for: ['DNS:dns.example'] });
  const secret = join(lab.directory, 'tickets-one');
  await succeed(sottoServer, ['ticket-secret', secret]);
  const copy = join(lab.directory, 'tickets-two');
  await copyFile(secret, copy);
  const one = await serve(lab, site, 0, secret, identity);
  const two = await serve(lab, site, 1, copy, identity);
  await balance(lab, site, two);

  const loads = await Promise.all(site.addresses.map((from) => startLoad(lab, site, from)));
  await eventually('both are busy', async () =>
    Math.min(await one.handshakes('resumed'), await two.handshakes('resumed')) > busy ? true : null,
  );
  await site.die(one.program);
  const before = { resumed: await two.handshakes('resumed'), full: await two.handshakes('full') };
  await eventually('the other one goes on', async () =>
    (await two.handshakes('resumed')) > before.resumed + busy ? true : null,
  );
  for (const load of loads) {
    const { failed, failures } = await load.summary();
    // the kernel ends connections of the dead before it closes their socket, at which a client may get one more
    expect(failed, JSON.stringify(failures)).toBeLessThanOrEqual(2 * clients);
  }
  const resumed = (await two.handshakes('resumed')) - before.resumed;
  const full = (await two.handshakes('full')) - before.full;
  expect(resumed / (resumed + full), `${full} full ones since`).toBeGreaterThanOrEqual(0.95);
  expect(await two.figure('sotto_server_proxied_connections_total')).toBeGreaterThan(busy);
  const refused = 'sotto_server_refused_connections_total{reason="wrong_proxy_header"}';
  expect(await two.figure(refused)).toBe(0);
  // told to stop, they would wait for their stop notice
  for (const { program } of [one, two]) await program.stop('SIGKILL');
}

interface Server {
  program: Program;
  /** of /metrics, as it is now */
  figure(name: string): Promise<number>;
  handshakes(kind: 'full' | 'resumed'): Promise<number>;
}

/** With the page's configuration, in front of a zone. */
async function serve(
  lab: Lab,
  site: Site,
  index: 0 | 1,
  secret: string,
  { certificate, key }: Identity,
): Promise<Server> {
  const zone = await writeZone(lab, 'example', ['www A 192.0.2.1']);
  const [first, own] = [servers[0], servers[index]];
  const shown = (await block('toml'))
    .replace('to = "127.0.0.1:53"', `zone = "${zone.file}"`)
    .replace('/etc/sotto-server/chain.pem', certificate)
    .replace('/etc/sotto-server/key.pem', key)
    .replace('/var/lib/sotto-server/tickets', secret)
    .replace(first.dot, own.dot)
    .replace(first.metrics, own.metrics);
  const file = join(lab.directory, `server-${index}.toml`);
  await writeFile(file, site.place(shown));
  const machine = site.servers[index];
  const program = lab.adopt(await machine.start(sottoServer, ['--config', file]));
  await program.ready(async () => program.stdout.includes('"ready"'));
  const url = `http://${site.place(own.metrics)}/metrics`;
  const figure = async (name: string) => {
    const { stdout } = await site.client.run(locate('curl'), ['-sS', url]);
    return figureOf(stdout, name);
  };
  const handshakes = (kind: string) => figure(`sotto_server_handshakes_total{kind="${kind}"}`);
  return { program, figure, handshakes };
}

async function balance(lab: Lab, site: Site, two: Server): Promise<void> {
  const file = join(lab.directory, 'haproxy.cfg');
  await writeFile(file, site.place(await block('haproxy')));
  const words = ['-q', '-db', '-f', file];
  const program = lab.adopt(await site.balancer.start(locate('haproxy'), words));
  await program.ready(async () => {
    await site.client.run(sottoLab, [...visit(site, 'full', 4), '--seconds', '0.1']);
    return (await two.figure('sotto_server_proxied_connections_total')) > 0;
  });
}

async function startLoad(lab: Lab, site: Site, from: string) {
  const load = await site.client.start(sottoLab, [
    ...visit(site, 'resumed', clients),
    ...['--from', from, '--json', '--seconds', String(seconds)],
  ]);
  return lab.adopt(new Running<Handshakes, never>(load, 'tls'));
}

function visit(site: Site, kind: string, connections: number): string[] {
  const to = site.place(balancerAt);
  return [
    ...['tls', '--to', to, '--kind', kind],
    ...['--connections', String(connections), '--name', 'www.example'],
  ];
}

async function block(language: string): Promise<string> {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(
    await readFile(page, 'utf8'),
  );
  if (found?.[1] === undefined) throw new Error(`no block of ${language} in ${page}`);
  return found[1];
}

/** Free ports of this machine instead of the page's addresses. */
async function onLoopback(): Promise<(said: string) => string> {
  const instead: [string, string][] = [];
  for (const { dot, metrics } of servers) {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const check = metrics.split(':')[1];
    instead.push(
      [`${dot} port ${check}`, `127.0.0.1:${port} port ${metricsPort}`],
      [dot, `127.0.0.1:${port}`],
      [metrics, `127.0.0.1:${metricsPort}`],
    );
  }
  instead.push([balancerAt, `127.0.0.1:${await freePort()}`], ['"192.0.2.1"', '"127.0.0.1"']);
  return (said) => {
    const here = instead.reduce((text, [there, at]) => text.replace(there, at), said);
    expect(here, 'every address of the page was replaced').not.toContain('192.0.2.');
    return here;
  };
}

function figureOf(page: string, name: string): number {
  const line = page.split('\n').find((line) => line.startsWith(`${name} `));
  if (line === undefined) throw new Error(`no ${name} in ${page}`);
  return Number(line.slice(name.length + 1));
}
