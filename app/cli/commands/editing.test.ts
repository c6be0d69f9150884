/** The commands that change upstreams and rules, against a service that records the requests. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { ServiceSession } from '../../contract/service-api.ts';
import type { SettingChange } from '../../contract/settings/settings-methods.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { someMessage } from '../fixtures/made-up.ts';

const change: SettingChange = {
  key: 'upstreams',
  previous: { set: false, value: null },
  setting: {
    key: 'upstreams',
    value: [],
    label: '',
    help: '',
    unit: null,
    source: { layer: 'user', file: null },
    locked: false,
    hidden: false,
    lockedBy: null,
    reason: null,
  },
  revision: 'r',
};
const mullvad = { id: 'mullvad', transport: 'dot' as const, address: '192.0.2.1' };
const corp = { suffix: 'corp.example', to: ['192.0.2.53'] };

const pin = `${'A'.repeat(43)}=`;

test.each([
  [['add', 'mullvad', '--at', '1'], { upstream: { resolver: 'mullvad' }, at: 0 }],
  [['add', 'sdns://AAAA', '--as', 'x'], { upstream: { stamp: 'sdns://AAAA', id: 'x' } }],
  [
    ['add', '192.0.2.1:8853', '--name', 'dns.example'],
    { upstream: { transport: 'dot', address: '192.0.2.1:8853', name: 'dns.example' } },
  ],
  [
    ['add', '2001:db8::1', '--transport', 'tdns', '--pin', pin],
    { upstream: { transport: 'tdns', address: '2001:db8::1', pins: [pin] } },
  ],
  [
    ['add', '192.0.2.1', '--name', 'dns.example', '--ca', 'company.pem'],
    {
      upstream: {
        transport: 'dot',
        address: '192.0.2.1',
        name: 'dns.example',
        // the service has another working directory
        ca: resolve('company.pem'),
      },
    },
  ],
  [['remove', 'mullvad'], { id: 'mullvad' }],
  [['move', 'mullvad', '2'], { id: 'mullvad', to: 1 }],
])('upstream %j', async (words, params) => {
  const asked: unknown[] = [];
  const note = (given: unknown) => {
    asked.push(given);
    return succeed({ upstream: mullvad, change, notes: ['Look here.'] });
  };
  const home = await serve({
    'upstream.add': note,
    'upstream.remove': note,
    'upstream.move': note,
  });
  const { code, out, errors } = await runCommand(home, 'upstream', ...words);
  expect([errors, asked]).toEqual(['', [params]]);
  expect(code).toBe(0);
  expect(out).toMatch(/^mullvad is .*\.\nLook here\.\n$/);
});

test.each([
  [['upstream', 'add', 'mullvad', '--name', 'x'], /--name belongs to an address/],
  [['upstream', 'add', 'mullvad', '--ca', 'x.pem'], /--ca belongs to an address/],
  [['upstream', 'add', 'mullvad', '--at', '0'], /no place/],
  [['query', 'a.example', '--each', '--at', 'udp://192.0.2.1'], /exclude each other/],
  [['rule', 'import', '/nonexistent'], /can't be read/],
])('%j is wrong usage', async (words, message) => {
  const { code, errors } = await runCommand(await serve({}), ...words);
  expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
});

/** Sends its results after its reply, as the service does. */
function telling<Item>(
  notification:
    | 'catalogue.measured'
    | 'query.answered'
    | 'upstream.crossChecked'
    | 'upstream.measured',
  items: readonly Item[],
): (params: object, session: ServiceSession) => { ok: true; value: { work: number } } {
  return (_params, session) => {
    setImmediate(() => {
      for (const item of items)
        session.notify(notification, {
          work: 7,
          items: [item],
          done: false,
          failure: null,
        } as never);
      session.notify(notification, { work: 8, items: [], done: true, failure: null });
      session.notify(notification, { work: 7, items: [], done: true, failure: null });
    });
    return { ok: true, value: { work: 7 } };
  };
}

test('upstreams are compared, each told as it answers, and one that does not is a failure', async () => {
  const silent = {
    upstream: 'shed',
    responseMs: null,
    error: { code: 'timed-out', text: 'silent' },
  };
  const home = await serve({
    'upstream.measure': telling('upstream.measured', [
      { upstream: 'pool', responseMs: 11.2, error: null },
      silent,
    ]),
  });
  const told = await runCommand(home, 'upstream', 'compare');
  expect(told.out).toMatch(/^pool: answers in 11.*\nshed: silent\n$/);
  expect(told.code).toBe(1);
  const { out } = await runCommand(home, 'upstream', 'compare', '--json');
  expect(JSON.parse(out.trim().split('\n')[1] ?? '')).toEqual(silent);
});

test('the catalogue says what each resolver says, and measures them', async () => {
  const entry = {
    id: 'mullvad',
    label: 'Mullvad',
    operator: 'Mullvad VPN AB, Sweden',
    transport: 'dot' as const,
    addresses: ['192.0.2.1'],
    names: ['dns.example'],
    filtering: 'Blocks nothing.',
    validation: null,
    logging: 'States that it does not log.',
    source: 'https://dns.example/',
    checked: {
      on: '2026-11-23',
      by: 'operator' as const,
      against: ['https://dns.example/', 'https://list.example/'],
    },
    inCleartext: 'every name' as const,
    retired: null,
    upstream: 'mine',
  };
  const one = { resolver: 'mullvad', address: '192.0.2.1:853', tls: null };
  const retired = { on: '2026-11-02', notice: 'https://old.example/' };
  const old = { ...entry, id: 'old', inCleartext: 'its own names' as const, retired };
  let resolvers = [entry];
  const tried = [{ address: '192.0.2.2:853', code: 'certificate-name', text: 'not him' }];
  const home = await serve({
    'catalogue.list': () => succeed({ resolvers }),
    'catalogue.measure': telling('catalogue.measured', [
      { ...one, ok: true, responseMs: 11.2, handshakeMs: 24, error: null },
      { ...one, ok: true, responseMs: 11.2, handshakeMs: 24, error: null, tried },
      {
        ...one,
        ok: false,
        responseMs: null,
        handshakeMs: null,
        error: { code: 'x', message: 'silent' },
      },
    ]),
  });
  expect((await runCommand(home, 'upstream', 'catalogue')).out).toBe(
    'mullvad  Mullvad, Mullvad VPN AB, Sweden; dot; in use as mine\n    Blocks nothing.\n    States that it does not log.\n    https://dns.example/\n    Checked 2026-11-23 against the operator’s own page: https://dns.example/, https://list.example/.\n',
  );
  const later = { ...retired, on: '2999-11-02' };
  resolvers = [{ ...old, retired: later } as never];
  expect((await runCommand(home, 'upstream', 'catalogue')).out).toMatch(/ENDS ON 2999-11-02: /);
  resolvers = [old as never];
  expect((await runCommand(home, 'upstream', 'catalogue')).out).toMatch(
    /ENDED ON 2026-11-02: https:\/\/old\.example\/\n[\s\S]*list\.example\/\. In cleartext it answers/,
  );
  resolvers = [entry];
  const { out } = await runCommand(home, 'upstream', 'catalogue', '--measure');
  expect(out).toMatch(
    /^(Mullvad: answers in 11.*, connected in 24.* \(192\.0\.2\.1:853\))\n\1; tried in vain: 192\.0\.2\.2:853: not him\nMullvad: silent\n$/,
  );
});

test('every upstream is asked side by side, and differences are named', async () => {
  const times = { cost: 'reused', connectMs: 0, waitMs: 12, roundTrips: 1 };
  const silent = { ...times, transport: null, response: null, differs: [] };
  const early = { comparison: null };
  const says = { code: 'upstreams-too-few', params: {} };
  const compared = {
    is: 'too-few',
    compared: [],
    sides: null,
    alone: null,
    text: 'Nothing\u001b[2J.',
    says,
  };
  const answers = [
    {
      upstream: 'a',
      ...times,
      transport: 'dot',
      response: someMessage(),
      error: null,
      differs: [],
      ...early,
    },
    {
      upstream: 'b',
      ...times,
      transport: 'dot',
      response: someMessage({ rcode: 'NXDOMAIN', answer: [] }),
      error: null,
      differs: ['NXDOMAIN instead of NOERROR'],
      ...early,
    },
    {
      upstream: 'c',
      ...silent,
      error: { code: 'timed-out', text: 'no answer\u001b[2J' },
      comparison: compared,
    },
  ];
  const home = await serve({ 'query.askEach': telling('query.answered', answers) });
  const { code, out } = await runCommand(home, 'query', 'cdn.example.com', '--each');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^a: NOERROR in 12.*\(dot, reused\)\n {4}cdn\.example\.com 300 A 192\.0\.2\.7\n/,
  );
  expect(out).toMatch(
    /\n {4}differs: NXDOMAIN instead of NOERROR\nc: no answer\\x1b\[2J\nNothing\\x1b\[2J\.\n$/,
  );
  const none = await serve({ 'query.askEach': telling('query.answered', [answers[2]]) });
  expect(await runCommand(none, 'query', 'x.example', '--each')).toMatchObject({ code: 1 });
  const refused = await serve({
    'query.askEach': () => fail('bad-query', 'not put to them', 'x'),
  });
  expect(await runCommand(refused, 'query', 'x.local', '--each')).toMatchObject({ code: 2 });
});

test('names are cross-checked: a line for each, and a disagreement is a failure', async () => {
  const says = { code: 'upstreams-agreement', params: {} };
  const agree = {
    is: 'agreement',
    compared: ['a', 'b'],
    sides: null,
    alone: null,
    text: 'They agree.',
    says,
  };
  const differ = { ...agree, is: 'no-answer', sides: [['a'], ['b']], text: 'They disagree.' };
  const kept = fail('bad-query', 'in.corp is not put to the upstreams', 'see').failure;
  const query = { name: 'bank.example', type: 'A' };
  const told = (...checked: object[]) =>
    serve({ 'upstream.crossCheck': telling('upstream.crossChecked', checked) });
  const skipped = { name: 'in.corp', type: 'A', comparison: null, skipped: kept };
  const fine = await told({ ...query, comparison: agree, skipped: null }, skipped);
  expect(await runCommand(fine, 'upstream', 'cross-check')).toMatchObject({
    code: 0,
    out: 'bank.example A: They agree.\nin.corp A: in.corp is not put to the upstreams\n',
  });
  const bad = await told({ ...query, comparison: differ, skipped: null });
  const { code, out } = await runCommand(bad, 'upstream', 'cross-check', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([1, { comparison: { sides: [['a'], ['b']] } }]);
  const none = await runCommand(await told(), 'upstream', 'cross-check');
  expect(none).toMatchObject({ code: 0, out: '', errors: expect.stringContaining('config set') });
});

test('rules: listed, explained, added, removed, written out and brought in', async () => {
  const asked: unknown[] = [];
  const own = { from: 'settings' } as const;
  const learned = { from: 'link', link: 'tun0', by: 'resolved' } as const;
  const tun = { link: 'tun0', by: 'resolved' as const, vpn: true, to: ['10.8.0.1:53'] };
  const home = await serve({
    'rule.list': () =>
      succeed({
        rules: [corp, { suffix: '=a.example', to: ['link:tun0'] }],
        resting: [{ rule: 'night.example when hours 22:00-06:00', fit: 'no' }],
        inForce: [
          { rule: 'corp.example', to: ['192.0.2.53:53'], class: 'bypass', origin: own },
          { rule: '=a.example', to: [], class: 'bypass', origin: own },
          { rule: 'vpn.example', to: ['10.8.0.1:53'], class: 'bypass', origin: learned },
        ],
        claims: [
          { ...tun, suffix: 'vpn.example', state: 'believed' },
          { ...tun, suffix: 'lan.example', link: 'wlan0', vpn: false, state: 'open' },
        ],
        locked: true,
        lockedBy: 'ACME',
        reason: 'rule 7',
      }),
    'rule.answer': ({ suffix, believe }) =>
      succeed({ ...tun, suffix, state: believe ? 'believed' : 'refused' }),
    'rule.explain': ({ name, type = 'A', user }) =>
      succeed({
        name,
        type,
        verdict: 'forward',
        rule: '',
        origin: null,
        reason: '',
        rcode: null,
        servers: ['a'],
        group: null,
        clear: 'none',
        cached: null,
        privateOnly: false,
        conditions: [],
        sentence: `${name} ${type} goes privately${user === undefined ? '' : ` for ${user}`}.`,
      }),
    'rule.add': (rule) => succeed({ rule, change }),
    'rule.remove': () => succeed({ rule: corp, change }),
    'rule.export': () => succeed({ text: 'corp.example  192.0.2.53\n', rules: 1 }),
    'rule.import': (params) => {
      asked.push(params);
      const other = { ...corp, to: ['192.0.2.1'] };
      const changed = [{ before: corp, after: other }];
      return succeed({ added: [corp], changed, removed: [corp], unchanged: 2, change: null });
    },
  });
  const said = async (...words: string[]) => (await runCommand(home, 'rule', ...words)).out;
  expect(await said('list')).toBe(
    `names         resolvers                from
corp.example  192.0.2.53:53            settings
=a.example    none known now: refused  settings
vpn.example   10.8.0.1:53              link tun0, by systemd-resolved
The rule for night.example when hours 22:00-06:00 rests: it is for another network or another time.
Link wlan0 claims lan.example (by systemd-resolved): nobody has answered: sotto rule believe lan.example, or sotto rule disbelieve lan.example
Locked by ACME: rule 7.
`,
  );
  expect(await said('explain', 'www.example', 'aaaa')).toBe('www.example AAAA goes privately.\n');
  expect(await said('add', 'corp.example', '192.0.2.53', '192.0.2.54')).toBe(
    'Names at and below corp.example go in cleartext to 192.0.2.53, 192.0.2.54.\n',
  );
  expect(await said('explain', 'www.example', '--user', '1001')).toBe(
    'www.example A goes privately for 1001.\n',
  );
  const night = ['--unit', 'a.service', '--hours', 'tue,mon 22:00-06:00', '--user', '7'];
  expect(await said('add', 'corp.example', '192.0.2.53', ...night, '--user', 'ann')).toBe(
    'Names at and below corp.example go in cleartext to 192.0.2.53, when user 7, ann; unit a.service; hours mon,tue 22:00-06:00.\n',
  );
  expect(
    await runCommand(home, 'rule', 'add', 'a.example', 'network', '--hours', '9-17'),
  ).toMatchObject({
    code: 2,
  });
  expect(await said('add', '=a.example', 'link:tun0')).toBe(
    'a.example goes in cleartext to link:tun0.\n',
  );
  expect(await said('believe', 'lan.example')).toContain('its names go there, in cleartext');
  expect(await said('disbelieve', 'vpn.example', '--link', 'tun0')).toContain('not believed here');
  expect(await said('remove', 'corp.example')).toBe('The rule for corp.example is removed.\n');
  expect(await said('export')).toBe('corp.example  192.0.2.53\n');
  const file = join(home, 'rules.txt');
  writeFileSync(file, 'corp.example 192.0.2.53\n');
  expect(await said('import', file, '--dry-run', '--replace')).toBe(
    '+ corp.example  192.0.2.53\n~ corp.example  192.0.2.1\n- corp.example  192.0.2.53\n3 rules would change, 2 as before.\n',
  );
  expect(asked).toEqual([{ text: 'corp.example 192.0.2.53\n', mode: 'replace', dryRun: true }]);
});

test('the report is printed as it is composed, with nothing that moves the cursor', async () => {
  const home = await serve({
    'report.compose': () => succeed({ at: 1, text: 'Sotto 1\n\u001b[2J\n' }),
  });
  expect((await runCommand(home, 'report')).out).toBe('Sotto 1\n\\x1b[2J\n');
  expect(JSON.parse((await runCommand(home, 'report', '--json')).out)).toMatchObject({ at: 1 });
});
