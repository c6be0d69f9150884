/**
 * What a simulation predicts is what then happens: queries of the log are decided about under a version that is not in force; then it
 * comes into force, and the same queries are asked for real.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { unwrap } from '../../app/cli/failure.ts';
import type { QueryEvent } from '../../app/contract/query-log/query-event.ts';
import type { ResultOf } from '../../app/contract/service-api.ts';
import { reachablePaths } from '../../app/contract/service-paths.ts';
import { grants } from '../../app/contract/settings/profile-methods.ts';
import type {
  ChangeKind,
  SimulatedChange,
  SimulatedDecision,
} from '../../app/contract/settings/simulation.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const kinds = [
  'unencrypted',
  'elsewhere',
  'refused',
  'upstream',
  'no-longer-here',
  'encrypted',
] as const satisfies ChangeKind[];

/** Names by what would change for them, each asked as often as it stands there. */
const asked: Record<(typeof kinds)[number] | 'nothing', string[]> = {
  unencrypted: ['a.com', 'b.com', 'b.com'],
  elsewhere: ['a.plain.net', 'b.plain.net', 'a.moved.corp.example'],
  refused: ['a.tunnel.net'],
  upstream: ['a.net', 'b.net', 'c.org', 'c.org', 'c.org', 'c.org'],
  'no-longer-here': ['a.internal', 'b.internal'],
  encrypted: ['a.corp.example', 'b.corp.example'],
  // The group of work.net asks the server that all names go to now.
  nothing: ['localhost', 'a.invalid', 'a.stays.example', 'a.onion', 'a.work.net'],
};

type Simulated = ResultOf<'profile.simulate'>;

describeWith(['sotto', 'sotto-server', 'nsd', 'openssl', 'dig'], 'a simulation', () => {
  const lab = labForFile();
  let service: SottoService;
  let client: ConnectedService;
  let plain: PlainTap;
  let file: string;
  beforeAll(async () => {
    const zones = [await writeZone(lab, '', ['* A 203.0.113.9', '@ A 203.0.113.9'])];
    const nsd = await Nsd.start(lab, { zones });
    const near = await SottoServer.start(lab, { answers: nsd.plain });
    const next = await SottoServer.start(lab, { answers: nsd.plain });
    plain = await PlainTap.start(lab, nsd.plain);
    const moved = await PlainTap.start(lab, nsd.plain);
    const to = [text(plain.endpoint)];
    const stays = { suffix: 'stays.example', to };
    service = await SottoService.start(lab, {
      upstreams: [near.upstream('near')],
      bypass: [{ suffix: 'corp.example', to }, stays],
      systemDns: { take: false },
    });
    file = await version({
      upstreams: [next.upstream('near'), { ...near.upstream('work'), group: 'work' }],
      groups: { work: { names: ['work.net'] } },
      bypass: [
        stays,
        { suffix: 'plain.net', to },
        { suffix: 'tunnel.net', to: ['link:tun7'] },
        { suffix: 'moved.corp.example', to: [text(moved.endpoint)] },
        { suffix: 'com', to, downgrade: true },
      ],
      forwardSpecial: ['internal'],
    });
    const { controlSocket } = reachablePaths({ SOTTO_HOME: service.home });
    client = unwrap(await connectToService(controlSocket, 'the test'));
    return () => client.close();
  });

  async function version(values: Record<string, unknown>): Promise<string> {
    const path = join(service.home, `corp-${Object.keys(values).length}.json`);
    const settings = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, { value, lock: 'locked' }]),
    );
    const facts = { id: 'example-corp', serial: 1, issuer: 'Example Corp', name: 'Laptops' };
    await writeFile(path, JSON.stringify({ ...facts, settings }));
    return path;
  }

  async function enrol(path: string): Promise<void> {
    const key = join(service.home, 'corp');
    const done = async (...words: string[]) => {
      const { code, stdout, stderr } = await service.cli('profile', ...words);
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    await done('keygen', key, '--no-password');
    await done('sign', path, '--key', `${key}.key`);
    const verified = await done('verify', path, '--key', `${key}.pub`, '--json');
    const { fingerprint } = JSON.parse(verified) as { fingerprint: string };
    const allow = ['--allow', grants.join(',')];
    await done('enrol', path, '--key', `${key}.pub`, '--fingerprint', fingerprint, ...allow);
  }

  const times = new Map<string, number>();

  async function ask(names: readonly string[]): Promise<Map<string, QueryEvent>> {
    const events = new Map<string, QueryEvent>();
    for (const name of names) {
      await dig(service.v4, name);
      const count = (times.get(name) ?? 0) + 1;
      times.set(name, count);
      events.set(name, await nth(name, count));
    }
    return events;
  }

  /** An entry of the same name from before may be the newest still. */
  async function nth(name: string, count: number): Promise<QueryEvent> {
    return await eventually(`${count} times ${name} in the log`, async () => {
      const events = await service.log({ name });
      return events.length >= count && events.at(-1);
    });
  }

  /** What it says of one name; null: nothing changes. */
  async function predicted(profile: string, name: string): Promise<SimulatedChange | null> {
    const request = { profile, approved: true, queries: [{ name }] };
    const { changes } = unwrap(await client.call('profile.simulate', request)).simulation;
    return changes[0] ?? null;
  }

  it('predicts what then happens, and sends nothing itself', async () => {
    const names = Object.values(asked).flat();
    const before = await ask(names);
    const logged = (await service.log({ limit: 1000 })).length;
    const sent = plain.names.length;
    const { simulation, waiting } = await service.json<Simulated>(
      ...['profile', 'simulate', file, '--approved'],
    );
    expect(waiting).toEqual([]);
    expect(simulation).toMatchObject({ cannot: null, queries: logged, unresolved: 0 });
    expect(
      Object.fromEntries(simulation.totals.map(({ kind, queries }) => [kind, queries])),
    ).toEqual(Object.fromEntries(kinds.map((kind) => [kind, asked[kind].length])));
    const profile = (await readFile(file)).toString('base64');
    const said = new Map<string, SimulatedChange | null>();
    for (const name of before.keys()) said.set(name, await predicted(profile, name));
    expect(plain.names.length, 'nothing was sent').toBe(sent);

    await enrol(file);
    await service.cli('cache', 'flush');
    const after = await ask([...before.keys()]);
    for (const [name, change] of said) {
      const [was, is] = [happened(before.get(name)), happened(after.get(name))];
      if (change === null) expect(is.fate, `${name} as before`).toBe(was.fate);
      else {
        expect(was, name).toEqual(decided(change.before, was.server));
        expect(is, name).toEqual(decided(change.after, is.server));
      }
    }
    expect([...said.values()].filter((change) => change !== null).length).toBeGreaterThan(10);
  });

  it('finds nothing more to change once the version is in force', async () => {
    const { stdout, code } = await service.cli('profile', 'simulate');
    expect(stdout).toMatch(/^"Laptops" of Example Corp .*, simulated: nothing came into force\.\n/);
    expect(stdout).toMatch(/\nNothing would change for the \d+ queries since /);
    expect(code).toBe(0);
  });

  it('tells of many rules as one', async () => {
    const to = [text(plain.endpoint)];
    const bypass = Array.from({ length: 100 }, (_, at) => ({ suffix: `n${at}.many.net`, to }));
    const many = await version({ bypass });
    const queries = join(service.home, 'names.txt');
    await writeFile(queries, 'a.n7.many.net\nb.n99.many.net AAAA\nmany.net\n');
    const { stdout } = await service.cli(
      ...['profile', 'simulate', many, '--approved', '--queries', queries],
    );
    expect(stdout).toContain('! 2 would leave unencrypted by a bypass rule');
    expect(stdout).toMatch(/ {4}2: encrypted to .* → unencrypted to \S+ \(one of 100 rules\)/);
  });

  it('says that it cannot, where the log keeps no whole names', async () => {
    for (const [mode, reason] of [
      ['domain', 'keeps registrable domains'],
      ['counts', 'keeps counts and no names'],
      ['off', 'is off'],
    ] as const) {
      await service.cli('config', 'set', 'queryLog.mode', mode);
      const { stdout } = await service.cli('profile', 'simulate');
      expect(stdout).toContain(`The query log ${reason}`);
      expect(stdout).not.toContain('would change');
    }
  });
});

/** What became of a query, in the words of a simulation. */
function happened(event: QueryEvent | undefined): { fate: string; server: string; rule: string } {
  if (event === undefined) throw new Error('the query is not in the log');
  const { outcome, clear, upstream, rule } = event;
  const sent = clear === 'none' ? 'private' : 'clear';
  const fate = outcome === 'local' ? 'here' : outcome === 'refused' ? 'refused' : sent;
  return { fate, server: upstream, rule };
}

/** The same of what was predicted; the server has to be among those that were. */
function decided({ fate, servers, rule }: SimulatedDecision, server: string) {
  const isSent = fate === 'private' || fate === 'clear';
  return {
    fate,
    rule,
    server: isSent && !servers.includes(server) ? servers.join(' or ') : server,
  };
}
