/** The query log has enough to explain each query, nothing that the mode forbids, and nothing that attacks a terminal. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../app/contract/status/finding.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { netZone } from '../rig/zones/internal.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'the query log', () => {
  const lab = labForFile();
  let upstreamStage: Stage;
  beforeAll(async () => {
    upstreamStage = await openStage(lab, [await netZone(lab)]);
  });

  async function startService(queryLog = {}): Promise<SottoService> {
    return await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', upstreamStage.unbound.tls, trusting(upstreamStage))],
      queryLog,
    });
  }

  it('shows the outcome, cost and transport of each query live', async () => {
    const service = await startService();
    const live = await service.follow(lab);
    await eventually('the log is followed', async () => {
      await dig(service.v4, 'localhost');
      return live.stdout.includes('localhost');
    });
    await dig(service.v4, plant(1));
    await dig(service.v4, plant(1));
    await dig(service.v4, `nothing.${garden}`);
    const entries = await eventually('three entries', () => {
      const lines = live.stdout.split('\n').filter((line) => line.includes(garden));
      return lines.length === 3 && lines.map((line) => JSON.parse(line));
    });
    expect(entries).toMatchObject([
      {
        name: plant(1),
        type: 'A',
        outcome: 'forwarded',
        transport: 'dot',
        cost: 'reused',
        upstream: 'far',
      },
      { name: plant(1), outcome: 'cached', transport: 'none', cost: 'none' },
      { name: `nothing.${garden}`, outcome: 'forwarded', rcode: 'NXDOMAIN' },
    ]);
    const { ms, stages } = entries[0];
    expect(stages.wait).toBeGreaterThan(0);
    expect(ms).toBeGreaterThanOrEqual(stages.wait);
    await live.stop('SIGINT');
    await service.stop();
  });

  it('has each query that was answered before it is read', async () => {
    const service = await startService();
    for (const way of ['+notcp', '+tcp'])
      for (const outcome of ['forwarded', 'cached', 'cached', 'cached', 'cached']) {
        const name = plant(way === '+tcp' ? 201 : 202);
        await dig(service.v4, name, 'A', way);
        expect((await service.log({ name, limit: 1 }))[0], way).toMatchObject({ outcome });
      }
    await service.stop();
  });

  it('is searched by name and outcome', async () => {
    const service = await startService();
    for (const name of [plant(2), plant(3), plant(3), 'localhost']) await dig(service.v4, name);
    await service.logged('localhost');
    const found = await service.log({ name: 'plant*' });
    expect(found.map(({ name }) => name)).toEqual([plant(2), plant(3), plant(3)]);
    expect((await service.log({ outcome: 'cached' })).map(({ name }) => name)).toEqual([plant(3)]);
    expect(await service.log({ limit: 1 })).toMatchObject([
      { name: 'localhost', outcome: 'local' },
    ]);
    await service.stop();
  });

  it('prints hostile names so that a terminal obeys nothing in them', async () => {
    const service = await startService();
    const hostile = [
      [Buffer.from('\u001b[31mred'), Buffer.from('garden'), Buffer.from('example')],
      [Buffer.from('\u202egpj'), Buffer.from('garden'), Buffer.from('example')],
      [Buffer.from('new\nline\r\u0007'), Buffer.from('garden'), Buffer.from('example')],
      [
        Buffer.from([0x9b, 0x33, 0x31, 0x6d, 0, 0xff]),
        Buffer.from('garden'),
        Buffer.from('example'),
      ],
    ];
    for (const name of hostile) await askUdp(service.v4, encodeQuery(name, 'A'));
    const printed = await eventually('all are in the log', async () => {
      const { stdout } = await service.cli('log', '--limit', '10');
      return stdout.split(garden).length === hostile.length + 1 && stdout;
    });
    for (const character of ['\u001b[31m', '\u202e', '\r', '\u0007', '\u009b', '\0']) {
      expect(printed).not.toContain(character);
    }
    expect(printed).toContain(String.raw`\027\[31mred`);
    expect(printed).toContain(String.raw`\226\128\174gpj`);
    await service.stop();
  });

  const modes: { mode: string; name: string; kept: string | null }[] = [
    { mode: 'full', name: 'full.secret.example.net', kept: 'full.secret.example.net' },
    { mode: 'domain', name: 'domain.secret.example.net', kept: 'example.net' },
    { mode: 'counts', name: 'counts.secret.example.net', kept: null },
    { mode: 'off', name: 'off.secret.example.net', kept: null },
  ];
  for (const { mode, name, kept } of modes) {
    it(`in mode ${mode} keeps ${kept ?? 'no name'} on the disk`, async () => {
      const service = await startService({ mode });
      expect((await dig(service.v4, name)).status).toBe('NOERROR');
      if (kept !== null)
        await eventually('it is written', async () =>
          (await service.log({ limit: 10 })).some((event) => event.name === kept),
        );
      await service.stop();
      const disk = await everythingIn(service.home);
      expect(disk.includes('secret')).toBe(mode === 'full');
      expect(disk.includes('example.net')).toBe(kept !== null);
    });
  }

  it('has no queries of an examination, and "stats" counts none of them', async () => {
    const service = await startService();
    await dig(service.v4, plant(1));
    await service.logged(plant(1));
    const before = await service.json<{ queries: number }>('stats');
    const { stdout } = await service.cli('doctor', '--json');
    const examined = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Finding);
    for (const check of ['listening', 'path'])
      expect(examined).toContainEqual(expect.objectContaining({ check, verdict: 'ok' }));
    await dig(service.v4, plant(2));
    await service.logged(plant(2));
    const after = await service.json<{ queries: number }>('stats');
    expect(after.queries).toBe(before.queries + 1);
    const asked = new Set((await service.log()).map(({ name }) => name));
    expect(asked).toEqual(new Set(['localhost', plant(1), plant(2)]));
    await service.stop();
  });

  it('shows where the time of each query went, also of one without a response', async () => {
    const mute = createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const silent = upstream(
      'silent',
      'dot',
      { address: '127.0.0.1', port },
      trusting(upstreamStage),
    );
    const service = await startService();
    await dig(service.v4, plant(3));
    await dig(service.v4, plant(3));
    await service.apply({ upstreams: [silent] });
    await dig(service.v4, plant(4), 'A', '+time=10');
    await service.logged(plant(4));
    const events = await service.log();
    expect(new Set(events.map(({ outcome }) => outcome))).toEqual(
      new Set(['local', 'forwarded', 'cached', 'refused']),
    );
    for (const { name, outcome, ms, stages } of events) {
      const sum = Object.values(stages).reduce((all, stage) => all + stage, 0);
      expect(sum, `${outcome} ${name}`).toBeCloseTo(ms, 1);
    }
    const [refused] = events.filter(({ outcome }) => outcome === 'refused');
    expect(refused?.stages.connect).toBeGreaterThan((refused?.ms ?? 0) / 2);
    await service.stop();
    mute.close();
  });

  it('is the only place for names: the service prints none on its terminal', async () => {
    const service = await startService();
    for (const name of [plant(40), `nothing.${garden}`, `leak.${garden}`, `rebind.${garden}`])
      await dig(service.v4, name);
    await upstreamStage.unbound.stop();
    await dig(service.v4, plant(41));
    await service.logged(plant(41));
    await service.stop();
    expect(service.output).toContain('listening');
    expect(service.output).not.toContain(garden);
    expect(service.output).not.toContain('plant4');
  });
});

/** All octets of all files of a stopped service, except its settings. */
async function everythingIn(home: string): Promise<Buffer> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'settings.json');
  return Buffer.concat(
    await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name)))),
  );
}
