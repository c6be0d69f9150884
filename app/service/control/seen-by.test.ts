import { expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: the made-up status of the command line's tests, which has something everywhere.
import { someStats, someStatus } from '../../cli/fixtures/made-up.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { type ServiceStatus, serviceStatus } from '../../contract/status/service-status.ts';
import { entriesSeenBy, entrySeenBy, statsSeenBy, statusSeenBy } from './seen-by.ts';

const told = 'told-to-nobody';

const entry: LedgerEntry = {
  id: 4,
  class: 'bypass',
  network: told,
  networkLabel: told,
  group: '',
  rule: told,
  reason: told,
  who: 'alice',
  since: 1,
  until: null,
  count: 17,
  closed: null,
};

const many = ({ limit }: { limit: number }) =>
  Array.from({ length: limit }, (_, index) => ({ ...entry, id: 10_000 - index }));

const status: ServiceStatus = {
  ...someStatus(),
  clear: [entry],
  network: { id: told, label: told, authenticated: true },
  groups: someStatus().groups.map((group) => ({ ...group, names: [told], why: told })),
  consentRequests: [
    {
      ...{ id: told, network: told, networkLabel: told, group: '', upstream: '', why: told },
      ...{ rungs: ['tcp'], consent: 'anyone', openedAt: 1, deadline: 2, state: 'open' },
      ...{ answeredAt: null, who: null, until: null },
    },
  ],
  portal: {
    ...{ evidence: 'api', site: told, url: told, since: 1, byItself: false, skipped: false },
    login: { by: 'window', since: 1, until: 2, who: told, entry: 4 },
  },
  health: [
    {
      ...{ code: 'names-claimed', subject: told, severity: 'info', title: 'This network' },
      ...{ text: told, remedy: '', says: [{ code: told, params: {} }], since: 1 },
    },
  ],
};

test('who observes learns no place, no name of a rule and no page of a login; how private it is, they do', () => {
  const seen = statusSeenBy('observe', status);
  expect(JSON.stringify(seen)).not.toContain(told);
  expect(serviceStatus.safeParse(seen).success).toBe(true);
  expect(seen).toMatchObject({
    protection: status.protection,
    upstreams: status.upstreams,
    network: { authenticated: true },
    clear: [{ id: 4, class: 'bypass', count: 17, who: 'alice' }],
    health: [{ code: 'names-claimed' }],
  });
});

test('nor the name of a network whose policy allowed it', () => {
  const consent = `what was set for the network ${told}`;
  const seen = statusSeenBy('observe', {
    ...status,
    protection: { state: 'exposed', since: 1, until: null, consent },
    verdict: { is: 'unencrypted', by: 'consent', since: 1, until: null, consent },
    sentence: `Unencrypted, by ${consent}, since 12:00.`,
    clear: [{ ...entry, who: consent }],
  });
  expect(JSON.stringify(seen)).not.toContain(told);
  expect(seen.sentence).toBe('Unencrypted, by what was set for this network, since 12:00.');
});

test.each(['control', 'administer'] as const)('%s is told all of it', (role) => {
  expect(statusSeenBy(role, status)).toBe(status);
  expect(entrySeenBy(role, entry)).toBe(entry);
  expect(entriesSeenBy(role, { limit: 10_000 }, many)).toHaveLength(10_000);
});

test('places of the past are for administrators', () => {
  const past = { ...entry, class: 'policy' as const, rule: '', closed: 'it ended' };
  const consent = `what was set for the network ${told}`;
  const seen = entrySeenBy('control', { ...past, who: consent, reason: consent });
  expect(JSON.stringify(seen)).not.toContain(told);
  expect(entriesSeenBy('control', { limit: 1 }, () => [past])).toMatchObject([{ network: '' }]);
  expect(entriesSeenBy('administer', { limit: 1 }, () => [past])).toEqual([past]);
});

test.each(['observe', 'control'] as const)(
  'to %s, a program that goes around has no name',
  (role) => {
    const around = [{ kind: 'program' as const, name: told, count: 7, since: 1 }];
    const verdict = {
      is: 'partly' as const,
      upstream: 'a',
      exceptions: 0,
      contested: false,
      around,
    };
    const partly = { ...someStatus(), verdict, sentence: `${told} goes around Sotto.` };
    const seen = statusSeenBy(role, partly);
    expect(JSON.stringify(seen)).not.toContain(told);
    expect(seen.sentence).toMatch(/Some programs go around Sotto. 7 queries/);
    expect(statusSeenBy(role, partly)).toBe(seen);
    const container = { ...verdict, around: [{ kind: 'container' as const, name: told }] };
    const beside = statusSeenBy(role, { ...partly, verdict: container });
    expect(JSON.stringify(beside)).not.toContain(told);
    expect(statusSeenBy('administer', partly)).toBe(partly);
  },
);

test('it is made once for all who observe', () => {
  expect(statusSeenBy('observe', status)).toBe(statusSeenBy('observe', status));
  expect(entrySeenBy('observe', entry)).toBe(entrySeenBy('observe', entry));
  expect(JSON.stringify(entrySeenBy('observe', entry))).not.toContain(told);
  const seen = entriesSeenBy('observe', { limit: 10_000 }, many);
  expect(seen).toHaveLength(200);
  const oldest = seen.at(-1)?.id ?? 0;
  expect(entriesSeenBy('observe', { limit: 10, beforeId: oldest }, many), 'no page beyond').toEqual(
    [],
  );
  expect(JSON.stringify(seen)).not.toContain(told);
});

test('which programs ask is seen by administrators alone', () => {
  const stats = someStats();
  expect(statsSeenBy('administer', stats)).toBe(stats);
  for (const role of ['observe', 'control'] as const) {
    expect(statsSeenBy(role, stats).tally).toEqual({ ...stats.tally, programs: [] });
    expect(JSON.stringify(statsSeenBy(role, stats))).not.toContain('firefox');
  }
  expect(statsSeenBy('observe', someStats({ tally: null })).tally).toBeNull();
});
