import { expect, test } from 'vitest';
import type { AuditReport } from '../engine/boundary.ts';
import { limitsOf } from './limits.ts';
import { presentConnections, resolversByAddress } from './present-connections.ts';

const seen = { named: 3, listed: 1, accepted: 0, nearby: 2, own: 1, isWhole: true };
const report: AuditReport = {
  ...{ since: 1000, lookedAt: 9000, betweenLooks: 20_000, remembersSince: 1000 },
  ...{ addresses: 7, seen, trouble: '', leftOut: 0 },
  programs: [
    {
      ...{ program: 'firefox', unit: 'app.scope', container: '', executable: '', user: 'ann' },
      addresses: ['9.9.9.9', '203.0.113.7'].map((address) => ({
        ...{ address, port: 443, protocol: 'tcp' as const, standing: 'nameless' as const },
        ...{ firstSeen: 2000, lastSeen: 9000, connections: 2, open: 1 },
      })),
    },
  ],
};

test('programs have the name of their desktop file, and known resolvers theirs', () => {
  const resolverAt = resolversByAddress([
    { label: 'Quad9', addresses: ['9.9.9.9', '2620:fe::fe'] },
    { label: 'Another', addresses: ['9.9.9.9', '[2001:db8::1]:53'] },
  ]);
  const audit = presentConnections(report, resolverAt, (program) => ({
    name: program === 'firefox' ? 'Firefox' : '',
    icon: 'firefox',
  }));
  expect(audit).not.toHaveProperty('betweenLooks');
  expect(audit.programs).toMatchObject([
    { program: 'firefox', application: 'Firefox', icon: 'firefox', user: 'ann' },
  ]);
  expect(audit.programs[0]?.addresses.map(({ resolver }) => resolver)).toEqual(['Quad9', null]);
  expect(['2620:fe::fe', '2001:db8::1', '::1'].map(resolverAt)).toEqual(['Quad9', 'Another', null]);
});

test('the limits say what is true of this audit', () => {
  const codes = (changes: Partial<AuditReport>, isTaken: boolean) =>
    limitsOf({ ...report, ...changes }, isTaken).flatMap(({ says }) =>
      says.map(({ code }) => code),
    );
  const always = codes({}, true);
  expect(always).toContain('connections-brief');
  expect(codes({}, false)).toEqual(['connections-not-led-here', ...always]);
  expect(codes({ seen: { ...seen, isWhole: false } }, true)).toEqual([
    'connections-unread',
    ...always,
  ]);
  expect(limitsOf(report, true)[0]?.text).toContain('every 20 seconds');
});
