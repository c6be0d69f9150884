/**
 * The networks that this machine has met: the person's name and policy for each, the accepted claims, and whether an upstream
 * authenticated there.
 */
import { renameSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { NetworkHints } from '../../contract/system/network.ts';
import { noNetwork } from '../../contract/system/no-network.ts';
import { openPrivateDatabase } from '../base/private-database.ts';
import { rewrite } from '../base/rewritten-database.ts';
import { strictest } from './effective-policy.ts';
import type { NetworkIdentity } from './network-identity.ts';

export interface RememberedNetwork {
  id: string;
  name: string | null;
  label: string;
  hints: NetworkHints;
  policy: DowngradePolicy | null;
  /** one of our upstreams has proved its identity there, at any time */
  authenticated: boolean;
  firstSeen: number;
  lastSeen: number;
}

export interface Given {
  name?: string | null | undefined;
  policy?: DowngradePolicy | null | undefined;
}

export interface RememberedAnswer {
  believe: boolean;
  /** who answered */
  who: string;
}

/** All that is known of one network, with the person's answers about the domains that it claims. */
export interface ForgottenNetwork extends RememberedNetwork {
  answers: { suffix: string; answer: RememberedAnswer }[];
}

export interface NetworkMemory {
  /** "No network" is not kept, and neither is an identity that fits several networks. */
  saw(identity: NetworkIdentity): void;
  authenticated(id: string): void;
  /** The last seen first. */
  list(): RememberedNetwork[];
  find(id: string): RememberedNetwork | null;
  findByName(name: string): RememberedNetwork | null;
  /** Synced when it returns; throws when the disk refuses. Keys that are left out stay. */
  set(id: string, given: Given): void;
  /**
   * Its name is in no file of ours any more when it returns, as long as no other process reads the file. Returns what was
   * forgotten; null: nothing was known.
   */
  forget(id: string): ForgottenNetwork | null;
  /** Remembers it again as it was, whether or not it was met meanwhile. Synced when it returns; throws when the disk refuses. */
  recall(network: ForgottenNetwork): void;
  /** A person's answer about a domain that this network claims; `place` is a network's id, or "link:tun0" of a VPN. */
  answerTo(place: string, suffix: string): RememberedAnswer | null;
  /** Synced when it returns; throws when the disk refuses. */
  answer(place: string, suffix: string, answer: RememberedAnswer): void;
  /** Every domain about which a person has answered, on any network. */
  answered(): string[];
  /** For an identity that fits several networks, the strictest policy of these. */
  policyFor(identity: NetworkIdentity): DowngradePolicy | null;
  close(): void;
}

/**
 * More than a person meets in years. Networks with a name, a policy or an answer are kept beyond this number, because only a
 * person makes them.
 */
const mostUnnamed = 500;

const schema = `
  CREATE TABLE IF NOT EXISTS networks (
    id TEXT PRIMARY KEY,
    name TEXT UNIQUE COLLATE NOCASE,
    label TEXT NOT NULL,
    hints TEXT NOT NULL,
    policy TEXT,
    authenticated INTEGER NOT NULL DEFAULT 0,
    first_seen REAL NOT NULL,
    last_seen REAL NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS answers (
    place TEXT NOT NULL,
    suffix TEXT NOT NULL,
    believe INTEGER NOT NULL,
    who TEXT NOT NULL,
    PRIMARY KEY (place, suffix)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS unnamed ON networks (last_seen) WHERE name IS NULL AND policy IS NULL;
`;

interface Row {
  id: string;
  name: string | null;
  label: string;
  hints: string;
  policy: string | null;
  authenticated: number;
  first_seen: number;
  last_seen: number;
}

export function openNetworkMemory(
  file: string,
  now: () => number,
  most: number = mostUnnamed,
): NetworkMemory {
  const database = openOrBeginAfresh(file);
  const upsert = database.prepare(
    `INSERT INTO networks (id, label, hints, first_seen, last_seen) VALUES (@id, @label, @hints, @now, @now)
     ON CONFLICT (id) DO UPDATE SET label = @label, hints = @hints, last_seen = @now`,
  );
  const trim = database.prepare(
    `DELETE FROM networks WHERE id IN (
       SELECT id FROM networks WHERE name IS NULL AND policy IS NULL AND id NOT IN (SELECT place FROM answers)
       ORDER BY last_seen DESC LIMIT -1 OFFSET ?)`,
  );
  const proven = database.prepare('UPDATE networks SET authenticated = 1 WHERE id = ?');
  const all = database.prepare<[], Row>('SELECT * FROM networks ORDER BY last_seen DESC, id');
  const byId = database.prepare<[string], Row>('SELECT * FROM networks WHERE id = ?');
  const byName = database.prepare<[string], Row>('SELECT * FROM networks WHERE name = ?');
  const update = database.prepare('UPDATE networks SET name = ?, policy = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM networks WHERE id = ?');
  const unanswer = database.prepare('DELETE FROM answers WHERE place = ?');
  const answered = database.prepare<[string, string], { believe: number; who: string }>(
    'SELECT believe, who FROM answers WHERE place = ? AND suffix = ?',
  );
  const answeredAnywhere = database.prepare<[], { suffix: string }>(
    'SELECT DISTINCT suffix FROM answers ORDER BY suffix',
  );
  const answer = database.prepare('INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)');
  const answersAt = database.prepare<[string], { suffix: string; believe: number; who: string }>(
    'SELECT suffix, believe, who FROM answers WHERE place = ? ORDER BY suffix',
  );
  const insert = database.prepare(
    `INSERT OR REPLACE INTO networks (id, name, label, hints, policy, authenticated, first_seen, last_seen)
     VALUES (@id, @name, @label, @hints, @policy, @authenticated, @firstSeen, @lastSeen)`,
  );

  const erase = database.transaction((id: string) => {
    unanswer.run(id);
    remove.run(id);
  });

  const recall = database.transaction(({ answers, ...network }: ForgottenNetwork) => {
    const { hints, authenticated, lastSeen } = network;
    insert.run({
      ...network,
      hints: JSON.stringify(hints),
      authenticated: authenticated ? 1 : 0,
      lastSeen: Math.max(lastSeen, find(network.id)?.lastSeen ?? 0),
    });
    for (const { suffix, answer: given } of answers)
      answer.run(network.id, suffix, given.believe ? 1 : 0, given.who);
  });

  const list = () => all.all().map(remembered);
  const find = (id: string) => rememberedOrNull(byId.get(id));

  return {
    saw: ({ id, label, hints, settled }) => {
      if (id === noNetwork || !settled) return;
      upsert.run({ id, label, hints: JSON.stringify(hints), now: now() });
      if (trim.run(most).changes > 0) rewrite(database);
    },
    authenticated: (id) => void proven.run(id),
    list,
    find,
    findByName: (name) => rememberedOrNull(byName.get(name)),
    set: (id, given) => {
      const known = find(id);
      const name = given.name === undefined ? known?.name : given.name;
      const policy = given.policy === undefined ? known?.policy : given.policy;
      update.run(name ?? null, policy ?? null, id);
    },
    forget(id) {
      const known = find(id);
      const answers = answersAt
        .all(id)
        .map(({ suffix, believe, who }) => ({ suffix, answer: { believe: believe === 1, who } }));
      erase(id);
      rewrite(database);
      rmSync(`${file}.damaged`, { force: true });
      return known === null ? null : { ...known, answers };
    },
    recall: (network) => recall(network),
    answerTo: (place, suffix) => {
      const row = answered.get(place, suffix);
      return row === undefined ? null : { believe: row.believe === 1, who: row.who };
    },
    answered: () => answeredAnywhere.all().map(({ suffix }) => suffix),
    answer: (place, suffix, { believe, who }) =>
      void answer.run(place, suffix, believe ? 1 : 0, who),
    policyFor: ({ id, hints, settled }) => {
      if (settled) return find(id)?.policy ?? null;
      const possible = list().filter((network) => couldBe(network.hints, hints));
      return strictest(possible.flatMap(({ policy }) => policy ?? []));
    },
    close: () => database.close(),
  };
}

function couldBe(remembered: NetworkHints, hints: NetworkHints): boolean {
  return remembered.gateway === hints.gateway && remembered.prefix === hints.prefix;
}

/** A damaged file is set aside: what it held only added comfort, or made things stricter than the settings. */
function openOrBeginAfresh(file: string): Database.Database {
  try {
    return open(file);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error;
    renameSync(file, `${file}.damaged`);
    return open(file);
  }
}

function open(file: string): Database.Database {
  return openPrivateDatabase(file, (database) => {
    database.exec(schema);
    database.transaction(() => {}).exclusive();
  });
}

function rememberedOrNull(row: Row | undefined): RememberedNetwork | null {
  return row === undefined ? null : remembered(row);
}

function remembered(row: Row): RememberedNetwork {
  return {
    id: row.id,
    name: row.name,
    label: row.label,
    hints: JSON.parse(row.hints) as NetworkHints,
    policy: row.policy as DowngradePolicy | null,
    authenticated: row.authenticated === 1,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
  };
}
