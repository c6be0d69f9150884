import { expect, test } from 'vitest';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { idleUpstream } from '../engine/fake-engine.ts';
import { composeReport } from './compose-report.ts';

/** Stands in every field that could hold something personal. */
const secret = 'hush.example';

const status: ServiceStatus = {
  version: '1.2.3',
  pid: 4711,
  startedAt: 0,
  guarded: true,
  verdict: {
    is: 'blocked',
    by: 'no-path',
    cause: secret,
    exceptions: 0,
    contested: false,
    around: [],
  },
  protection: { state: 'refusing', why: secret },
  sentence: secret,
  listening: [`${secret}:53`],
  upstreams: [
    {
      ...idleUpstream,
      id: 'quad9',
      label: 'Quad9',
      address: '192.0.2.77:853',
      dials: 1,
      rttMs: 11.23,
    },
    {
      ...idleUpstream,
      id: secret,
      label: secret,
      group: secret,
      state: 'resting',
      address: '192.0.2.77:853',
      lastError: { code: 'timed-out', text: `${secret} is silent` },
    },
  ],
  outcomes: {},
  clear: [
    {
      id: 1,
      class: 'bypass',
      network: secret,
      networkLabel: secret,
      group: secret,
      rule: secret,
      reason: secret,
      who: secret,
      since: 0,
      until: null,
      count: 3,
      closed: null,
    },
  ],
  groups: [
    {
      id: secret,
      names: [secret],
      policy: 'warn',
      why: secret,
      rungs: ['tcp'],
      strategy: 'ordered',
      consent: 'anyone',
      state: { state: 'refusing', why: secret },
    },
  ],
  consentRequests: [],
  rungs: [],
  loosened: [],
  systemDns: null,
  network: { id: secret, label: secret, authenticated: false },
  portal: null,
  cache: {
    entries: 1,
    octets: 6_000,
    capacity: 7_000,
    hits: 1,
    misses: 1,
    stale: 0,
    prefetched: 0,
    hotNames: 0,
    sentAhead: 0,
  },
  events: { delivered: 10, dropped: 0 },
  log: { state: 'stopped', reason: secret, rows: 1, octets: 2, lost: 3 },
  health: [{ code: 'no-private-path', severity: 'error', text: secret, subject: secret } as never],
};
const setting = {
  label: '',
  help: '',
  unit: null,
  lockedBy: secret,
  reason: secret,
  locked: true,
  hidden: false,
};

function report() {
  return composeReport({
    status,
    stats: {
      at: 0,
      startedAt: 0,
      outcomes: { forwarded: 41, failed: 0 },
      cache: status.cache,
      events: status.events,
      strays: 2,
      ownProbes: [{ kind: 'starttls', count: 3, last: 0 }],
      upstreams: [],
      memory: 61_400_000,
      tally: null,
    } as never,
    settings: [
      { ...setting, key: 'downgrade', value: 'warn', source: { layer: 'policy', file: secret } },
      {
        ...setting,
        key: 'bypass',
        value: [{ suffix: secret }],
        source: { layer: 'user', file: secret },
      },
      {
        ...setting,
        key: 'groups',
        value: { [secret]: {} },
        source: { layer: 'user', file: secret },
      },
      { ...setting, key: 'strategy', value: 'race', source: { layer: 'default', file: null } },
    ],
    labelOf: (id) => (id === 'quad9' ? 'Quad9' : null),
    machine: 'Linux, x64',
    at: 120_000,
  });
}

test('nothing in it is anybody’s', () => {
  expect(report()).not.toContain('hush');
  expect(report()).not.toContain('192.0.2.77');
});

test('it says how Sotto is', () => {
  for (const line of [
    'Sotto 1.2.3, Linux, x64',
    'running for 2 minutes, guarded; 1970-01-01T00:02:00.000Z',
    'verdict: blocked',
    'protection: refusing',
    'open permissions to send in cleartext: 1 bypass',
    'health: no-private-path (error)',
    '  Quad9: dot, idle; no TLS yet; 0 answered, 0 failed, 1 dial, 0 resumed; 11.2 ms',
    '  own upstream 2: dot, resting; no TLS yet; 0 answered, 0 failed, 0 dials, 0 resumed; never measured; last error timed-out',
    'queries: 41 forwarded',
    'cache: 1 entry, 6.0 kB, 1 hit, 1 miss',
    'query log: stopped, 1 row, 2 B, 3 lost',
    'memory: 61.4 MB',
    '  downgrade: warn (policy, locked)',
    '  bypass: 1 of them (user, locked)',
  ])
    expect(report().split('\n')).toContain(line);
  expect(report()).not.toContain('strategy:');
});
