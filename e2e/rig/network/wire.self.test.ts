/** The lab's cable between two machines: what it is ordered to do to packets happens, is counted, and ends. */
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeInLab, ip, locate, sottoLab } from '../available.ts';
import { labForFile } from '../lab.ts';
import { SottoServer, serverName } from '../peers/sotto-server.ts';
import { type Finished, run } from '../process.ts';
import { zone, zoneAddress } from '../zones/far.ts';
import { farAddress, Link } from './link.ts';
import { loadThrough } from './load-through.ts';
import { removeLeftovers } from './namespace.ts';

/** Not the far machine's own address: it is routed there, as an upstream's would be. */
const upstream = '198.51.100.53';
const host = `host.${zone}`;

describeInLab(['sotto-server', 'dig', 'kdig'], 'the wire', () => {
  const lab = labForFile();
  let link: Link;
  let server: SottoServer;
  beforeAll(async () => {
    link = await Link.open(lab, { farAddresses: [upstream] });
    const addresses = [farAddress.v4, farAddress.v6, upstream];
    server = await SottoServer.start(lab, { on: link.far, addresses });
  });
  beforeEach(async () => {
    await link.wire.rules();
    await link.wire.set({
      delayMs: 0,
      jitterMs: 0,
      lossPercent: 0,
      reorderPercent: 0,
      rateMbit: 0,
    });
  });

  it('delays each way, over both IP versions', async () => {
    for (const [delayMs, to] of [
      [10, farAddress.v4],
      [25, `[${farAddress.v6}]`],
    ] as const) {
      await link.wire.set({ delayMs });
      const { latencyMs, sent, answered } = await loadThrough(link.client, {
        ...{ to: `${to}:53`, suffix: zone },
        ...{ rate: 200, seconds: 1, timeoutSeconds: 30 },
      });
      expect(answered).toBe(sent);
      expect(latencyMs?.p50).toBeGreaterThanOrEqual(2 * delayMs);
      const { aToB, bToA } = await link.wire.stats();
      console.log(
        `delay ${delayMs} ms: round trip p50 ${latencyMs?.p50} ms, p99 ${latencyMs?.p99} ms; packets left late by`,
        `p50 ${aToB.latenessMs?.p50} and ${bToA.latenessMs?.p50} ms, p99 ${aToB.latenessMs?.p99} and ${bToA.latenessMs?.p99} ms`,
      );
    }
  });

  it('loses the same datagrams for the same seed', async () => {
    await link.wire.set({ lossPercent: 10 });
    const lost = async (seed: number) => {
      await link.wire.reseed(seed);
      // so few fit into every buffer, and each has the time of a machine that stands still
      const asking = { to: `${farAddress.v4}:53`, suffix: zone, rate: 1000, seconds: 0.2 };
      return (await loadThrough(link.client, { ...asking, timeoutSeconds: 10 })).lost;
    };
    const first = await lost(4);
    expect(first).toBeGreaterThan(0);
    expect(await lost(4)).toBe(first);
  });

  it('carries long streams whole, whatever is lost and overtaken', async () => {
    await link.wire.set({ delayMs: 2, lossPercent: 1, reorderPercent: 2, reorderByMs: 3 });
    const transfer = await copyThrough(300_000);
    expect(transfer).toBe('300000');
    expect((await link.wire.stats()).aToB).toMatchObject({ oversize: 0, undelivered: 0 });
  });

  it('blocks one port and leaves the others alone', async () => {
    await link.wire.rules({ do: 'drop', on: { protocol: 'tcp', port: 853 } });
    expect(await overTls(upstream, '+time=1')).toContain('timeout');
    expect(await clear(upstream)).toBe(zoneAddress);
    expect((await link.wire.stats()).hits[0]).toBeGreaterThan(0);
    await link.wire.rules();
    expect(await overTls(upstream)).toContain(zoneAddress);
  });

  it('resets and rejects, so that nobody has to wait', async () => {
    await link.wire.rules({ do: { reset: 'both' }, on: { port: 853 } });
    expect(await connecting(upstream, 853)).toContain('refused');
    await link.wire.rules({ do: { reject: 'host' }, on: { port: 853 } });
    expect(await connecting(upstream, 853)).toContain('No route to host');
    await link.wire.rules({ do: { reject: 'port' }, on: { protocol: 'udp' } });
    expect((await digging(farAddress.v6, host)).stdout).toContain('connection refused');
  });

  it('cuts connections that stand', async () => {
    const script = 'exec 3<>/dev/tcp/$0/53 && echo open && cat <&3';
    const holder = await link.client.start('/bin/bash', ['-c', script, upstream]);
    onTestFinished(async () => void (await holder.stop()));
    await holder.line(/open/);
    await link.wire.cut({ port: 53 });
    await holder.exited;
    expect(holder.stderr).toContain('reset by peer');
  });

  it('answers STARTTLS with NO_TLS, and the connection stays usable in cleartext', async () => {
    expect(await starttls()).toMatch(/flags: co;[\s\S]*"STARTTLS"/);
    await link.wire.rules({ do: 'no-tls', on: { port: 53 } });
    await link.wire.set({ delayMs: 3 });
    const dummy = ['+coflag', 'STARTTLS', 'CH', 'TXT'];
    const both = [...dummy, '+keepopen', host, 'A', 'IN', '+tcp', '+keepopen', '+nocoflag'];
    const { stdout } = await digging(upstream, '+tcp', '+norec', ...both);
    expect(stdout).toContain('"NO_TLS"');
    expect(stdout).not.toContain('flags: co');
    expect(stdout).toContain(zoneAddress);
  });

  it('strips the TO bit and nothing else', async () => {
    await link.wire.rules({ do: 'strip-starttls', on: { port: 53 } });
    const reply = await starttls();
    expect(reply).toContain('"STARTTLS"');
    expect(reply).not.toContain('flags: co');
  });

  it('strips TLS', async () => {
    await link.wire.rules({ do: { 'strip-tls': 'alert' }, on: { port: 853 } });
    expect(await overTls(upstream)).toMatch(/alert|handshake/i);
    await link.wire.rules({ do: { 'strip-tls': 'garbage' }, on: { port: 853 } });
    expect(await overTls(upstream)).not.toContain(zoneAddress);
    await link.wire.rules({ do: { kill: { afterOctets: 600 } }, on: { port: 853 } });
    expect(await overTls(upstream)).toContain('handshake failed');
    await link.wire.rules();
    expect(await overTls(upstream)).toContain(zoneAddress);
  });

  it('forges an answer that wins the race, unless the id is guessed wrong', async () => {
    await link.wire.set({ delayMs: 2 });
    await link.wire.rules({ do: { inject: { answer: '203.0.113.66' } } });
    expect(await clear(upstream)).toBe('203.0.113.66');
    await link.wire.rules({ do: { inject: { answer: '203.0.113.66', wrongId: true } } });
    expect(await clear(upstream)).toMatch(/ID mismatch.*\n203\.0\.113\.7$/);
  });

  it('is a black hole, and is none any more', async () => {
    await link.wire.rules({ do: 'drop' });
    expect((await digging(upstream, host, '+time=1')).stdout).toContain('timed out');
    await link.wire.rules();
    expect(await clear(upstream)).toBe(zoneAddress);
  });

  it('goes on after the plug was pulled', async () => {
    await link.unplug();
    expect((await digging(upstream, host)).stdout).toContain('unreachable');
    await link.plug();
    expect(await clear(upstream)).toBe(zoneAddress);
    expect(await clear(farAddress.v6)).toBe(zoneAddress);
  });

  it('shows an observer which queries were asked in cleartext, and none that were not', async () => {
    const capture = await link.capture();
    await clear(upstream);
    await clear(farAddress.v6, '+tcp');
    await starttls();
    await overTls(upstream);
    await overStarttls();
    const asked = (await capture.clearMessages()).map(({ at, ...query }) => query);
    const query = { name: host, type: 1, port: 53, kind: 'query' };
    const dummy = { name: 'starttls', type: 16, port: 53, kind: 'starttls', transport: 'tcp' };
    expect(asked).toEqual([
      { ...query, transport: 'udp', to: upstream },
      { ...query, transport: 'tcp', to: farAddress.v6 },
      { ...dummy, to: upstream },
      { ...dummy, to: upstream },
    ]);
    expect((await capture.clearQueries()).map(({ name }) => name)).toEqual([host, host]);
  });

  it('refuses an order that it does not know, and does nothing of it', async () => {
    const order = link.wire.set({ delayMs: 60_000, lossPercent: 101 });
    await expect(order).rejects.toThrow(/lossPercent.*0 to 100/);
    expect(await clear(upstream)).toBe(zoneAddress);
  });

  /** dig's output for a query that the far machine's zone answers. */
  async function clear(to: string, ...flags: string[]): Promise<string> {
    return (await digging(to, host, '+short', ...flags)).stdout.trim();
  }

  function digging(to: string, ...args: string[]): Promise<Finished> {
    return link.client.run(locate('dig'), [`@${to}`, '+tries=1', '+time=30', '+nocookie', ...args]);
  }

  async function starttls(): Promise<string> {
    const dummy = ['+tcp', '+norec', '+coflag', 'STARTTLS', 'CH', 'TXT'];
    return (await digging(upstream, ...dummy)).stdout;
  }

  async function overTls(to: string, ...flags: string[]): Promise<string> {
    const trust = [`+tls-ca=${server.ca}`, `+tls-hostname=${serverName}`];
    const args = [`@${to}`, '+retry=0', '+time=30', ...trust, ...flags, host];
    // kdig writes on after a reset, and would die of the signal
    const enduring = ['-c', 'trap "" PIPE; exec "$0" "$@"', locate('kdig'), ...args];
    const { stdout, stderr } = await link.client.run('/bin/sh', enduring);
    return stdout + stderr;
  }

  /** The same query inside STARTTLS, by the program that other tests examine. */
  async function overStarttls(): Promise<void> {
    const script = new URL('./ask-starttls.ts', import.meta.url).pathname;
    const args = [script, upstream, server.ca, serverName, host];
    const { code, stderr } = await link.client.run(process.execPath, args);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  }

  async function connecting(to: string, port: number): Promise<string> {
    const script = 'exec 3<>/dev/tcp/$0/$1';
    return (await link.client.run('/bin/bash', ['-c', script, to, String(port)])).stderr;
  }

  /** Sends that many octets to the far machine; returns how many arrived there. */
  async function copyThrough(octets: number): Promise<string> {
    const sink = `require('net').createServer((socket) => { let octets = 0;
      socket.on('data', (data) => (octets += data.length)).on('end', () => socket.end(String(octets)));
    }).listen(4000, () => console.log('listens'))`;
    const far = await link.far.start(process.execPath, ['-e', sink]);
    onTestFinished(async () => void (await far.stop()));
    await far.line(/listens/);
    const source = `const socket = require('net').connect(4000, '${farAddress.v4}');
      socket.pipe(process.stdout); socket.end(Buffer.alloc(${octets}))`;
    return (await link.client.run(process.execPath, ['-e', source])).stdout;
  }
});

describeInLab([], 'the lab', () => {
  it('takes away what a run that died left behind, and only that', async () => {
    const dead = 'sotto-999999999-000000-client';
    await run(ip, ['netns', 'add', dead]);
    const lab = `sotto-${process.pid}-000000-client`;
    await run(ip, ['netns', 'add', lab]);
    onTestFinished(async () => void (await run(ip, ['netns', 'delete', lab])));
    await removeLeftovers();
    const { stdout } = await run(ip, ['netns', 'list']);
    expect(stdout).not.toContain(dead);
    expect(stdout).toContain(lab);
  });

  it('says what is wrong with the ends of a wire', async () => {
    const wire = (...args: string[]) => run(sottoLab, ['wire', ...args]);
    const nowhere = await wire('--a', 'no-such-lab:eth0', '--b', 'lo');
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('ip netns list') });
    expect((await wire('--a', 'lo', '--b', 'lo')).code).toBe(2);
    expect((await wire('--a', 'nothing0', '--b', 'lo')).stderr).toContain('no such interface');
    expect((await wire('--help')).stdout).toContain('"strip-tls":"alert"');
  });
});
