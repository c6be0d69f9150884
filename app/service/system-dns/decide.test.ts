import { expect, test } from 'vitest';
import { type DecisionFacts, decide, type Seen } from './decide.ts';

const eth0 = { index: 2, name: 'eth0', search: null };
const tun0 = { index: 9, name: 'tun0', search: ['corp.example'] };
const seen = (name: Seen['name'], usable: boolean): Seen => ({
  name,
  usable,
  why: `${name} ${usable ? 'is' : 'is not'} there.`,
  perLink: name === 'resolved',
  anyPort: name === 'resolved',
});

function facts(changes: Partial<DecisionFacts> = {}): DecisionFacts {
  return {
    take: true,
    mechanism: 'auto',
    position: 'on',
    ending: false,
    contested: false,
    seen: [seen('resolved', true), seen('network-manager', true), seen('file', true)],
    loyalTo: null,
    holder: null,
    links: [eth0],
    search: ['lan.example'],
    listening: ['127.0.0.1:5300', '[::1]:5300', '192.0.2.7:53'],
    ...changes,
  };
}

test.each<[string, Partial<DecisionFacts>, object]>([
  ['the setting does not want it', { take: false }, { kind: 'give-back', why: null }],
  ['we end', { ending: true }, { kind: 'give-back', why: null }],
  ['off', { position: 'off' }, { kind: 'give-back', why: 'off' }],
  ['another program fights for it', { contested: true }, { kind: 'give-back', why: 'contested' }],
  ['no link is there', { links: [] }, { kind: 'give-back', why: 'no-link' }],
  [
    'paused it stays, and a tunnel is told like all others',
    { position: 'paused', links: [eth0, tun0] },
    {
      kind: 'take',
      mechanism: 'resolved',
      targets: [
        { link: { index: 2, name: 'eth0' }, search: null },
        { link: { index: 9, name: 'tun0' }, search: ['corp.example'] },
      ],
      servers: [
        { address: '127.0.0.1', port: 5300 },
        { address: '::1', port: 5300 },
      ],
      otherwise: null,
    },
  ],
  [
    'NetworkManager leaves the whole system to us, a link or none, and knows nothing but port 53',
    {
      mechanism: 'network-manager',
      seen: [seen('resolved', false), seen('network-manager', true)],
      links: [],
      listening: ['0.0.0.0:53', '[::]:5300'],
    },
    {
      kind: 'take',
      mechanism: 'network-manager',
      targets: [{ link: null, search: ['lan.example'] }],
      servers: [{ address: '127.0.0.1', port: 53 }],
      otherwise: null,
    },
  ],
  [
    'the first usable one holds',
    { seen: [seen('resolved', false), seen('file', true)], listening: ['[::]:53', '[::1]:53'] },
    {
      kind: 'take',
      mechanism: 'file',
      targets: [{ link: null, search: null }],
      servers: [{ address: '::1', port: 53 }],
      otherwise: null,
    },
  ],
])('%s', (_what, changes, expected) => {
  expect(decide(facts(changes))).toEqual(expected);
});

test('what can not be says why, and what to do', () => {
  expect(decide(facts({ seen: [seen('resolved', false)] }))).toMatchObject({
    kind: 'wait',
    mechanism: null,
    failure: { message: "there is no way to the system's DNS here: resolved is not there." },
  });
  expect(
    decide(facts({ mechanism: 'resolved', seen: [seen('resolved', false), seen('file', true)] })),
  ).toMatchObject({ kind: 'wait', failure: { remedy: expect.stringContaining('mechanism auto') } });
  const restarting = [seen('resolved', false), seen('file', true)];
  expect(decide(facts({ loyalTo: 'resolved', seen: restarting })).kind).toBe('wait');
  expect(decide(facts({ mechanism: 'file', seen: [seen('file', true)] }))).toMatchObject({
    kind: 'wait',
    mechanism: 'file',
    failure: { message: expect.stringContaining('port 53 only'), subject: 'listen' },
  });
  expect(decide(facts({ listening: ['192.0.2.7:53'] }))).toMatchObject({
    failure: { message: 'Sotto does not listen on a loopback address' },
  });
});

test('no other mechanism leads programs that ask systemd-resolved', () => {
  for (const mechanism of ['file', 'network-manager'] as const)
    expect(decide(facts({ mechanism }))).toMatchObject({
      kind: 'wait',
      failure: { message: expect.stringContaining('systemd-resolved answers programs here') },
    });
  for (const holder of ['resolved', 'file'] as const)
    expect(decide(facts({ mechanism: 'file', holder }))).toMatchObject({
      kind: 'take',
      mechanism: 'resolved',
      otherwise: { code: 'no-mechanism' },
    });
});

test('what is held stays held, and is set again, while the chosen mechanism is not there', () => {
  const here = [seen('resolvconf', false), seen('file', true)];
  const chosen = { mechanism: 'resolvconf', seen: here, listening: ['127.0.0.1:53'] } as const;
  expect(decide(facts(chosen)).kind).toBe('wait');
  expect(decide(facts({ ...chosen, holder: 'file' }))).toMatchObject({
    kind: 'take',
    mechanism: 'file',
    otherwise: { message: expect.stringContaining('resolvconf is not there.') },
  });
});
