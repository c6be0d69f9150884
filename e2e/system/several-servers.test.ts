/** Two servers behind HAProxy, as docs/admin/several-servers.md has it, of which one is killed under load. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { describeWith, locate, sottoLab, sottoServer } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { Program, succeed } from '../rig/process.ts';
import { Running } from '../rig/sotto-lab.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const page = inRoot('docs', 'admin', 'several-servers.md');
const clients = 16;
const patienceMs = 60_000;

interface Handshakes {
  done: number;
  failed: number;
  resumed: number;
}

describeWith(['haproxy', 'openssl'], 'several servers behind a balancer', () => {
  const lab = labForFile();

  test(
    'when one dies, clients lose the connection they had and resume at the other',
    async () => {
      const authority = await CertificateAuthority.create(lab);
      const identity = await authority.issue({ for: ['DNS:dns.example', 'IP:127.0.0.1'] });
      const secret = join(lab.directory, 'tickets-one');
      await succeed(sottoServer, ['ticket-secret', secret]);
      const copy = join(lab.directory, 'tickets-two');
      await copyFile(secret, copy);
      const [one, two] = [await serve(secret, identity), await serve(copy, identity)];
      const balancer = await balance(one, two);

      const load = await Program.start(sottoLab, [
        ...['tls', '--json', '--to', `127.0.0.1:${balancer}`, '--kind', 'resumed'],
        ...['--connections', String(clients), '--seconds', '8', '--name', 'www.example'],
      ]);
      const running = lab.adopt(new Running<Handshakes, never>(load, 'tls'));
      const busy = 100;
      await eventually('both are busy', async () =>
        Math.min(await resumed(one), await resumed(two)) > busy ? true : null,
      );
      await one.program.stop('SIGKILL');
      const before = await resumed(two);
      await eventually('the other one goes on', async () =>
        (await resumed(two)) > before + busy ? true : null,
      );
      const { done, failed, resumed: ofDone } = await running.summary();

      expect(failed, 'each client had one connection').toBeLessThanOrEqual(clients);
      expect(ofDone / done).toBeGreaterThanOrEqual(0.95);
      const figures = await metrics(two);
      expect(figure(figures, 'sotto_server_proxied_connections_total')).toBeGreaterThan(busy);
      expect(
        figure(figures, 'sotto_server_refused_connections_total{reason="wrong_proxy_header"}'),
      ).toBe(0);
    },
    patienceMs,
  );

  interface Server {
    port: number;
    metrics: number;
    program: Program;
  }

  async function serve(secret: string, { certificate, key }: Identity): Promise<Server> {
    const { file } = await writeZone(lab, 'example', ['www A 192.0.2.1']);
    const [port, metrics] = [await freePort(), await freePort()];
    const words = {
      zone: file,
      dot: `127.0.0.1:${port}`,
      certificate,
      key,
      'ticket-secret': secret,
      'proxy-from': '127.0.0.1',
      metrics: `127.0.0.1:${metrics}`,
    };
    const flags = Object.entries(words).flatMap(([flag, value]) => [`--${flag}`, value]);
    const program = lab.adopt(await Program.start(sottoServer, flags));
    await program.ready(async () => program.stdout.includes('"ready"'));
    return { port, metrics, program };
  }

  /** With the page's configuration at other addresses. */
  async function balance(one: Server, two: Server): Promise<number> {
    const port = await freePort();
    const [, shown = ''] = /```haproxy\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? [];
    const here = shown
      .replace('192.0.2.1:853', `127.0.0.1:${port}`)
      .replace('192.0.2.11:853 port 9153', `127.0.0.1:${one.port} port ${one.metrics}`)
      .replace('192.0.2.12:853 port 9153', `127.0.0.1:${two.port} port ${two.metrics}`);
    expect(here, 'every address of the page was replaced').not.toContain('192.0.2.');
    const file = join(lab.directory, 'haproxy.cfg');
    await writeFile(file, here);
    const program = lab.adopt(await Program.start(locate('haproxy'), ['-q', '-db', '-f', file]));
    const proxied = async () =>
      figure(await metrics(two), 'sotto_server_proxied_connections_total') > 0;
    await program.ready(async () => {
      const visit = ['tls', '--to', `127.0.0.1:${port}`, '--kind', 'full', '--connections', '4'];
      await succeed(sottoLab, [...visit, '--seconds', '0.1', '--name', 'www.example']);
      return await proxied();
    });
    return port;
  }
});

async function metrics({ metrics }: { metrics: number }): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
}

async function resumed(server: { metrics: number }): Promise<number> {
  return figure(await metrics(server), 'sotto_server_handshakes_total{kind="resumed"}');
}

function figure(page: string, name: string): number {
  const line = page.split('\n').find((line) => line.startsWith(`${name} `));
  if (line === undefined) throw new Error(`no ${name} in ${page}`);
  return Number(line.slice(name.length + 1));
}
