/**
 * A server that keeps Nagle's algorithm on holds its second response back until the first one is acknowledged. The test counts
 * acknowledgements that our kernel delayed; each would cost a program 40 ms.
 */
import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { describeInLab, locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Link } from '../rig/network/link.ts';
import { startFarUnbound } from '../rig/peers/far-unbound.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone } from '../rig/zones/far.ts';

const address = '198.51.100.54';
const pairs = 50;
const ours = new URL('./pair-asker.ts', import.meta.url).pathname;
const others = new URL('./patient-pair-asker.ts', import.meta.url).pathname;

/** unbound since 1.23 sends each response at once. */
function whyNoNagle(): string | null {
  const said = spawnSync(locate('unbound'), ['-V'], { encoding: 'utf8' }).stdout;
  const [, major = 0, minor = 0] = (/^Version (\d+)\.(\d+)/.exec(said) ?? []).map(Number);
  return major > 1 || minor >= 23
    ? `unbound ${major}.${minor} keeps Nagle off: no delay to avoid`
    : null;
}

describeInLab(['sotto', 'unbound'], 'a server that keeps Nagle on', () => {
  const lab = labForFile();
  let link: Link;
  let service: SottoService;
  let ca: string;
  beforeAll(async () => {
    link = await Link.open(lab, { farAddresses: [address] });
    ca = await startFarUnbound(lab, link.far, address);
    const upstream = { id: 'far', transport: 'dot', address, name: serverName, ca };
    const settings = { upstreams: [upstream], cache: { entries: 0 } };
    service = await SottoService.start(lab, settings, undefined, { on: link.client });
  });

  it('gets its acknowledgements at once, as long as more responses are awaited', async (context) => {
    const reason = whyNoNagle();
    if (reason !== null) return context.skip(reason);
    const askOurs = (count: number) =>
      ask(ours, service.v4.address, String(service.v4.port), zone, String(count));
    await askOurs(1);
    const delayed = await delayedIn(() =>
      ask(others, address, serverName, ca, zone, String(pairs)),
    );
    expect(delayed, 'without this, the server holds nothing back').toBeGreaterThan(pairs / 2);
    // The server would have each pair delayed; a busy machine delays some that need not be.
    await eventually('few are delayed', async () => {
      return (await delayedIn(() => askOurs(pairs))) < pairs / 2;
    });
  });

  async function ask(asker: string, ...words: string[]): Promise<void> {
    const { code, stderr } = await link.client.run(process.execPath, [asker, ...words]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  }

  async function delayedIn(asking: () => Promise<void>): Promise<number> {
    const before = await delayedAcknowledgements();
    await asking();
    return (await delayedAcknowledgements()) - before;
  }

  /** Delayed acknowledgements of the client's kernel so far (DelayedACKs of /proc/net/netstat). */
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
