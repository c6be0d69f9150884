/**
 * A server that keeps Nagle's algorithm on holds its second answer back until the first one is acknowledged. What is
 * counted are acknowledgements that our kernel put off: each would be 40 ms of waiting for whoever asks.
 */
import { beforeAll, expect, it } from 'vitest';
import { describeInLab } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { Link } from '../rig/network/link.ts';
import { startFarUnbound } from '../rig/peers/far-unbound.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone } from '../rig/zones/far.ts';

const address = '198.51.100.54';
const pairs = 50;
const asker = new URL('./pair-asker.ts', import.meta.url).pathname;

describeInLab(['sotto', 'unbound'], 'a server that keeps Nagle on', () => {
  const lab = labForFile();
  let link: Link;
  let service: SottoService;
  beforeAll(async () => {
    link = await Link.open(lab, { farAddresses: [address] });
    const ca = await startFarUnbound(lab, link.far, address);
    const upstream = { id: 'far', transport: 'dot', address, name: serverName, ca };
    const settings = { upstreams: [upstream], cache: { entries: 0 } };
    service = await SottoService.start(lab, settings, undefined, { on: link.client });
  });

  it('is told at once what has come, as long as more is awaited', async () => {
    await askPairs(1);
    const before = await delayedAcknowledgements();
    await askPairs(pairs);
    expect((await delayedAcknowledgements()) - before).toBeLessThan(pairs / 2);
  });

  async function askPairs(count: number): Promise<void> {
    const { code, stderr } = await link.client.run(process.execPath, [
      ...[asker, service.v4.address, String(service.v4.port), zone, String(count)],
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  }

  /** By the client's kernel so far (tcp(7): DelayedACKs of /proc/net/netstat). */
  async function delayedAcknowledgements(): Promise<number> {
    const { stdout } = await link.client.run('/bin/cat', ['/proc/net/netstat']);
    const [names = [], values = []] = stdout
      .split('\n')
      .filter((line) => line.startsWith('TcpExt:'))
      .map((line) => line.split(' '));
    const value = values[names.indexOf('DelayedACKs')];
    if (value === undefined) throw new Error(`no DelayedACKs in\n${stdout}`);
    return Number(value);
  }
});
