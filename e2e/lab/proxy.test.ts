/** Upstreams behind a SOCKS5 proxy: the client's own network may see the proxy and nothing else. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import { describeInLab, locate } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { farAddress, Link } from '../rig/network/link.ts';
import { SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { type SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { zone } from '../rig/zones/far.ts';

const server = '198.51.100.53';
const host = `host.${zone}`;
const port = 1080;
const proxy = `socks5://${farAddress.v4}:${port}`;
const choosyPort = 1081;

describeInLab(['sotto', 'sotto-server', 'microsocks'], 'an upstream behind a proxy', () => {
  const lab = labForFile();
  let link: Link;
  let ca: string;
  beforeAll(async () => {
    link = await Link.open(lab, { delayMs: 5, farAddresses: [server] });
    ({ ca } = await SottoServer.start(lab, { on: link.far, addresses: [server] }));
    await startProxy(port);
    await startProxy(choosyPort, '-u', 'somebody', '-P', 'else');
  });

  for (const transport of ['dot', 'tdns'] as const)
    it(`is found by the proxy, by name, over ${transport}`, async () => {
      const service = await start({ transport, address: serverName });
      const capture = await link.capture();
      await expect
        .poll(() => ask(service))
        .toMatchObject({ outcome: 'forwarded', rcode: 'NOERROR' });
      expect(await capture.rows(`tcp.dstport == ${port}`, ['frame.number'])).not.toEqual([]);
      expect(await capture.rows(besideTheProxy, ['_ws.col.info'])).toEqual([]);
      expect((await service.status()).upstreams[0]).toMatchObject({
        address: `${serverName}:${transport === 'dot' ? 853 : 53}`,
        tls: { name: serverName },
      });
    });

  it('is never reached without its proxy, whatever the policy allows', async () => {
    const service = await start(
      { transport: 'dot', address: `${server}:8853`, alternative: false },
      { downgrade: 'fallback', rungs: ['unauthenticated', 'tcp', 'udp'] },
    );
    const capture = await link.capture();
    expect(await ask(service)).toMatchObject({ rcode: 'SERVFAIL' });
    expect(await capture.rows(besideTheProxy, ['_ws.col.info'])).toEqual([]);
    await expect
      .poll(() => lastError(service))
      .toMatchObject({
        code: 'proxy-unreachable',
        text: expect.stringContaining('check its address'),
      });
  });

  it.each([
    ['proxy-away', `socks5://${farAddress.v4}:1079`, 'start it'],
    ['proxy-refused', `socks5://${farAddress.v4}:${choosyPort}`, 'allow this machine'],
    ['proxy-not-socks', `socks5://${server}:853`, 'correct "proxy"'],
  ])('says %s, and what to do', async (code, wrongProxy, remedy) => {
    const service = await start({ transport: 'dot', address: serverName, proxy: wrongProxy });
    expect(await ask(service)).toMatchObject({ rcode: 'SERVFAIL' });
    await expect
      .poll(() => lastError(service))
      .toMatchObject({ code, text: expect.stringContaining(remedy) });
  });

  it('is reached through its proxy by measurements of the catalogue as well', async () => {
    // Behind the proxy there is no internet, and the proxy reports that at once.
    for (const family of ['-4', '-6']) await link.far.ip(family, 'route', 'del', 'default');
    const service = await start({ transport: 'dot', address: serverName });
    const capture = await link.capture();
    await service.cli('upstream', 'catalogue', '--measure', '--json');
    expect(await capture.rows(`tcp.dstport == ${port}`, ['frame.number'])).not.toEqual([]);
    expect(await capture.rows(besideTheProxy, ['_ws.col.info'])).toEqual([]);
  });

  it('is never reached without its proxy by the doctor, with a service or without', async () => {
    const service = await start({ transport: 'dot', address: server });
    const capture = await link.capture();
    await service.cli('doctor');
    await service.stop();
    await service.cli('doctor');
    expect(await capture.rows(`tcp.dstport == ${port}`, ['frame.number'])).not.toEqual([]);
    expect(await capture.rows(besideTheProxy, ['_ws.col.info'])).toEqual([]);
  });

  it('is reached through a proxy by "sotto query --at" where that is given', async () => {
    const service = await start({ transport: 'dot', address: serverName });
    const capture = await link.capture();
    const at = ['--at', `dot://${server}#${serverName}`, '--ca', ca, '--proxy', proxy];
    expect(await service.json('query', host, 'A', ...at)).toMatchObject({ ok: true });
    expect(await capture.rows(besideTheProxy, ['_ws.col.info'])).toEqual([]);
  });

  /** Only the proxy knows the server's name. */
  async function startProxy(onPort: number, ...flags: string[]): Promise<void> {
    const hosts = join(lab.directory, 'hosts');
    await writeFile(hosts, `${server} ${serverName}\n`);
    const known = 'mount --bind "$0" /etc/hosts && exec "$@"';
    const command = [locate('microsocks'), '-i', farAddress.v4, '-p', `${onPort}`, ...flags];
    const program = lab.adopt(await link.far.start('/bin/sh', ['-c', known, hosts, ...command]));
    const connecting = ['-c', 'exec 3<>/dev/tcp/$0/$1', farAddress.v4, `${onPort}`];
    await program.ready(async () => (await link.far.run('/bin/bash', connecting)).code === 0);
  }

  async function start(upstream: object, settings: SettingsFile = {}): Promise<SottoService> {
    const upstreams = [{ id: 'far', ca, name: serverName, proxy, ...upstream }];
    const complete = { upstreams, cache: { entries: 0 }, ...settings };
    const service = await SottoService.start(lab, complete, undefined, { on: link.client });
    onTestFinished(async () => void (await service.stop()));
    return service;
  }

  /** A refusal counts as a reply as well. */
  async function ask(service: SottoService): Promise<QueryEvent> {
    const { stdout } = await service.cli('query', host, '--json');
    return JSON.parse(stdout) as QueryEvent;
  }

  async function lastError(service: SottoService) {
    return (await service.status()).upstreams[0]?.lastError;
  }
});

/** Other packets of a capture: neighbour discovery, and its own mark of the end. */
const besideTheProxy = `!(tcp.port == ${port} || arp || icmpv6 || icmp || udp.dstport == 9)`;
