import { expect, test } from 'vitest';
import { type Profile, readProfile } from '../profile-file.ts';
import { neededGrants } from './needed-grants.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
const server = { id: 'corp', transport: 'dot', address: '192.0.2.1', name: 'dns.corp.example' };
const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };

function read(settings: object, more: object = {}): Profile {
  const octets = Buffer.from(JSON.stringify({ ...facts, settings, ...more }));
  const { profile, problems } = readProfile('p', octets);
  expect(problems).toEqual([]);
  return profile as Profile;
}

test('each grant is named with what needs it, also where one setting needs several', () => {
  const upstreams = { value: [{ ...server, ca: '/etc/corp.pem', identity: 'laptop' }] };
  const version = read(
    { upstreams, bypass: { value: [rule] }, listen: { value: ['0.0.0.0:53'] } },
    {
      networks: [
        {
          match: { domain: 'a.example' },
          settings: { bypass: { value: [rule, { ...rule, suffix: 'b.example' }] } },
        },
      ],
    },
  );
  expect(neededGrants(version, null).usually).toEqual([
    { grant: 'authorities', settings: [{ key: 'upstreams' }] },
    {
      grant: 'bypass',
      settings: [{ key: 'bypass' }, { key: 'bypass', network: 'domain a.example' }],
    },
    { grant: 'identities', settings: [{ key: 'upstreams' }] },
    { grant: null, settings: [{ key: 'listen' }] },
  ]);
});

test('what loosens only a stricter machine is told apart', () => {
  const version = read({ 'queryLog.mode': { value: 'counts' }, rungs: { value: ['tcp'] } });
  expect(neededGrants(version, null)).toEqual({
    takeWaits: false,
    usually: [],
    whereStricter: [
      { grant: 'log', settings: [{ key: 'queryLog.mode' }] },
      { grant: 'rungs', settings: [{ key: 'rungs' }] },
    ],
  });
});

test('a machine that has the version before needs no grant for what that said', () => {
  const before = read({ bypass: { value: [rule] }, downgrade: { value: 'refuse', lock: true } });
  const same = read({ bypass: { value: [rule] }, downgrade: { value: 'refuse', lock: true } });
  expect(neededGrants(same, before).usually).toEqual([]);
  expect(neededGrants(read({ bypass: { value: [rule] } }), before).usually).toEqual([
    { grant: 'downgrade', settings: [{ key: 'downgrade' }] },
  ]);
});

test("a version that takes the system's DNS says that this waits for the grants", () => {
  const take = { 'systemDns.take': { value: true } };
  const waits = (settings: object) => neededGrants(read(settings), null).takeWaits;
  expect(waits({ ...take, bypass: { value: [rule] } })).toBe(true);
  expect(waits({ ...take, 'audit.connections': { value: true } })).toBe(false);
  expect(waits({ bypass: { value: [rule] } })).toBe(false);
});
