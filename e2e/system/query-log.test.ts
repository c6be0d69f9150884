/** The query log has enough to explain each query, nothing that the mode forbids, and nothing that attacks a terminal. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
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
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

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

  /** Once, unless the upstream took too long; its entry is written. */
  async function untilForwarded(service: SottoService, name: string): Promise<void> {
    expect((await digInTime(service.v4, name)).status).toBe('NOERROR');
    await eventually(`${name} in the log`, async () => {
      return (await service.log({ name, outcome: 'forwarded' })).length > 0;
    });
  }

  it('shows the outcome, cost and transport of each query live', async () => {
    const service = await startService();
    const live = await service.follow(lab);
    await eventually('the log is followed', async () => {
      await dig(service.v4, 'localhost');
      return live.stdout.includes('localhost');
    });
    const entriesOf = (name: string): QueryEvent[] =>
      live.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as QueryEvent)
        .filter((event) => event.name === name);
    let number = 50;
    // The first one may come before there is a connection.
    const forwarded = await eventually('a query on the connection that is there', async () => {
      number += 1;
      await digInTime(service.v4, plant(number));
      const [event] = await eventually('its entry', () => {
        const entries = entriesOf(plant(number));
        return entries.length > 0 && entries;
      });
      return event?.cost === 'reused' && event;
    });
    expect(forwarded).toMatchObject({
      type: 'A',
      outcome: 'forwarded',
      transport: 'dot',
      upstream: 'far',
    });
    expect(forwarded.stages.wait).toBeGreaterThan(0);
    expect(forwarded.ms).toBeGreaterThanOrEqual(forwarded.stages.wait);
    const before = entriesOf(plant(number)).length;
    await dig(service.v4, plant(number));
    await expect
      .poll(() => entriesOf(plant(number))[before])
      .toMatchObject({ outcome: 'cached', transport: 'none', cost: 'none' });
    const nothing = `nothing.${garden}`;
    await digInTime(service.v4, nothing);
    await expect
      .poll(() => entriesOf(nothing).at(-1))
      .toMatchObject({ outcome: 'forwarded', rcode: 'NXDOMAIN' });
    await live.stop('SIGINT');
    await service.stop();
  });

  it('has each query that was answered before it is read', async () => {
    const service = await startService();
    for (const way of ['+notcp', '+tcp']) {
      let seen = 0;
      for (let number = 201; number < 211; number += 1) {
        const name = `${way.slice(1)}${number}.${garden}`;
        await dig(service.v4, name, 'A', way);
        seen += (await service.log({ name, limit: 1 })).length;
      }
      // A reader waits for a second at most, and now and then a slow machine stands still for longer.
      expect(seen, way).toBeGreaterThan(5);
    }
    await service.stop();
  });

  it('is searched by name and outcome', async () => {
    const service = await startService();
    for (const name of [plant(2), plant(3)]) await untilForwarded(service, name);
    for (const name of [plant(3), 'localhost']) await dig(service.v4, name);
    const found = async (filter: object) => (await service.log(filter)).map(({ name }) => name);
    const answered = { name: 'plant*', outcome: 'forwarded' };
    await expect.poll(() => found(answered)).toEqual([plant(2), plant(3)]);
    await expect.poll(() => found({ outcome: 'cached' })).toEqual([plant(3)]);
    expect(new Set(await found({ name: 'plant*' }))).toEqual(new Set([plant(2), plant(3)]));
    await expect
      .poll(() => service.log({ limit: 1 }))
      .toMatchObject([{ name: 'localhost', outcome: 'local' }]);
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
      expect((await digInTime(service.v4, name)).status).toBe('NOERROR');
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
    await untilForwarded(service, plant(1));
    const before = await service.json<{ queries: number }>('stats');
    const examined = async () => {
      const { stdout } = await service.cli('doctor', '--json');
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Finding);
    };
    const ok = (check: string) => expect.objectContaining({ check, verdict: 'ok' });
    await expect.poll(examined).toEqual(expect.arrayContaining([ok('listening'), ok('path')]));
    await dig(service.v4, 'localhost');
    await eventually('it is in the log', async () => {
      return (await service.log({ limit: 1 }))[0]?.name === 'localhost';
    });
    const after = await service.json<{ queries: number }>('stats');
    expect(after.queries).toBe(before.queries + 1);
    const asked = new Set((await service.log()).map(({ name }) => name));
    expect(asked).toEqual(new Set(['localhost', plant(1)]));
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
    await untilForwarded(service, plant(3));
    await dig(service.v4, plant(3));
    await service.apply({ upstreams: [silent] });
    await dig(service.v4, plant(4));
    await service.logged(plant(4));
    const events = await service.log();
    expect(events.map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(['local', 'forwarded', 'cached', 'refused']),
    );
    for (const { name, outcome, ms, stages } of events) {
      const sum = Object.values(stages).reduce((all, stage) => all + stage, 0);
      expect(sum, `${outcome} ${name}`).toBeCloseTo(ms, 1);
    }
    const refused = events.find(({ name }) => name === plant(4));
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
