/** Profiles and their signatures from the command line, and enrolment against a service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
// biome-ignore lint/style/noRestrictedImports: a key at which each guess costs little.
import { makeSecretKey, writeSecretKey } from '../../service/profiles/secret-key.ts';
import {
  finished,
  program,
  type Ran,
  runCommand,
  serve,
  startCommand,
} from '../fixtures/fake-service.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-profile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const at = (name: string) => join(folder, name);
const run = (...words: string[]): Promise<Ran> => runCommand(folder, 'profile', ...words);

function profile(name: string, settings: object, more: object = {}): string {
  writeFileSync(at(name), JSON.stringify({ ...facts, settings, ...more }, null, 2));
  return at(name);
}

test('a key is made, signs, and is found again in the signature', async () => {
  const file = profile('corp.json', { downgrade: { value: 'refuse', lock: 'locked' } });
  const made = await run('keygen', at('corp'), '--no-password', '--json');
  const { fingerprint } = JSON.parse(made.out) as { fingerprint: string };
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(at('corp.key')).mode & 0o777).toBe(0o600);

  const signed = await run('sign', file, '--key', at('corp.key'));
  expect(signed.out).toContain('signs "Laptops" of Example Corp (example-corp, serial 7)');
  const verified = await run('verify', file, '--key', at('corp.pub'));
  expect(verified.out).toContain('valid: profile:example-corp serial:7 file:corp.json');
  expect(verified.out.replaceAll(' ', '')).toContain(fingerprint);
  const line = readFileSync(at('corp.pub'), 'utf8').split('\n')[1] ?? '';
  expect((await run('verify', file, '--key', line, '--json')).code).toBe(0);
});

test('what was changed after it was signed is refused, and so is another key', async () => {
  const file = profile('corp.json', {});
  for (const name of ['corp', 'other']) await run('keygen', at(name), '--no-password');
  await run('sign', file, '--key', at('corp.key'));
  const other = await run('verify', file, '--key', at('other.pub'));
  expect([other.code, other.out]).toEqual([1, expect.stringContaining('Another key signed this')]);
  writeFileSync(file, `${readFileSync(file, 'utf8')} `);
  const changed = await run('verify', file, '--key', at('corp.pub'), '--json');
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.out)).toMatchObject({ ok: false, verdict: 'changed' });
});

test('a key with a password signs with that password, and a key is never written over', async () => {
  const file = profile('corp.json', {});
  const made = startCommand(folder, 'profile', 'keygen', at('corp'));
  made.stdin.end('correct horse\ncorrect horse\n');
  expect((await finished(made)).code).toBe(0);
  const again = await run('keygen', at('corp'), '--no-password');
  expect([again.code, again.errors]).toEqual([2, expect.stringContaining('is there already')]);

  const signing = startCommand(folder, 'profile', 'sign', file, '--key', at('corp.key'));
  signing.stdin.end('correct horse\n');
  expect((await finished(signing)).code).toBe(0);
  expect((await run('verify', file, '--key', at('corp.pub'))).code).toBe(0);
});

test('a password from a file opens the key, or is said not to', async () => {
  const file = profile('corp.json', {});
  // each guess at this one costs little
  const limits = { operations: 32_768n, memory: 16_777_216n };
  writeFileSync(at('corp.key'), writeSecretKey(makeSecretKey(), 'correct horse', limits));
  const sign = async (password: string) => {
    writeFileSync(at('password'), `${password}\n`);
    return await run('sign', file, '--key', at('corp.key'), '--password-file', at('password'));
  };
  const wrong = await sign('correct horsf');
  expect([wrong.code, wrong.errors]).toEqual([2, expect.stringContaining('does not open')]);
  expect((await sign('correct horse')).code).toBe(0);
});

test.each([
  ['correct\nwrong\n', /the two passwords differ/],
  ['\n\n', /the password is empty/],
  ['', /no password was given/],
])('a password typed as %j makes no key', async (typed, message) => {
  const made = startCommand(folder, 'profile', 'keygen', at('corp'));
  made.stdin.end(typed);
  const { code, errors } = await finished(made);
  expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
  expect(() => statSync(at('corp.key'))).toThrow();
});

test('a terminal shows nothing of a password', async () => {
  const words = [process.execPath, program, 'profile', 'keygen', at('corp')];
  const line = words.map((word) => `'${word}'`).join(' ');
  const typing = spawn('script', ['-qec', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let asked = 0;
  typing.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const prompts = shown.split(/Password for the secret key: |The same again: /).length - 1;
    for (; asked < prompts; asked += 1) typing.stdin.write('correct horse\r');
  });
  const [code] = (await once(typing, 'close')) as [number];
  expect([code, asked]).toEqual([0, 2]);
  expect(shown).not.toContain('horse');
  expect(readFileSync(at('corp.key'), 'utf8')).toContain('encrypted');
});

test('every error is told with its line, and what has one is not signed', async () => {
  const file = profile('corp.json', {
    downgrad: { value: 'refuse' },
    bypass: { value: [{ suffix: 'co.uk', to: ['192.0.2.1'] }] },
    consent: { value: 'administrator' },
  });
  await run('keygen', at('corp'), '--no-password');
  const linted = await run('lint', file);
  expect(linted.code).toBe(2);
  expect(linted.errors).toMatch(/corp\.json:7: settings\.downgrad: there is no such setting/);
  expect(linted.errors).toMatch(/corp\.json:\d+: settings\.bypass.*a public suffix/);
  const signed = await run('sign', file, '--key', at('corp.key'));
  expect([signed.code, signed.errors]).toEqual([2, expect.stringContaining('has an error')]);
});

test.each([
  ['lint', 'missing.json'],
  ['verify', 'missing.json', '--key', 'missing.pub'],
  ['sign', 'missing.json', '--key', 'missing.key'],
  ['sign', 'missing.json'],
])('%s without its files is wrong usage', async (...words) => {
  const { code, errors } = await run(...words);
  expect([code, errors]).toEqual([2, expect.stringMatching(/^sotto: .+ – nothing was done – .+/)]);
});

test('the schema is JSON, and knows every setting', async () => {
  const { out } = await run('schema');
  const { properties } = JSON.parse(out);
  expect(Object.keys(properties.settings.properties)).toContain('queryLog.mode');
  expect(properties.settings.additionalProperties).toBe(false);
});

const enrolled: EnrolledProfile = {
  ...facts,
  notBefore: null,
  notAfter: Date.UTC(2027, 0, 31, 14, 58),
  fingerprint: 'a'.repeat(64),
  nextFingerprint: null,
  source: null,
  ring: null,
  rollout: {},
  grants: ['log'],
  enrolledAt: 0,
  acceptedAt: 0,
  settings: ['downgrade'],
  waiting: [
    {
      key: 'bypass',
      grant: 'bypass',
      network: 'domain corp.example',
      wanted: { value: [], lock: 'default', reason: null, until: null },
      holds: ['a'.repeat(100)],
    },
    { key: 'listen', grant: null, wanted: null, holds: ['127.0.0.1:53'] },
  ],
  kept: ['consent'],
  gaveWay: ['upstreams'],
  takeWithoutRoutes: 'no',
  networks: [{ match: 'domain corp.example', fits: 'unconfirmed', settings: ['bypass'] }],
  standsIn: 4,
};

test('a machine is enrolled only with the fingerprint that a person compared', async () => {
  const file = profile('corp.json', {});
  const made = await run('keygen', at('corp'), '--no-password', '--json');
  const { fingerprint } = JSON.parse(made.out) as { fingerprint: string };
  await run('sign', file, '--key', at('corp.key'));
  const given: object[] = [];
  const home = await serve({
    'profile.enrol': (params) => {
      given.push(params);
      return { ok: true, value: { profile: enrolled, problems: ['corp.json, line 3: wrong'] } };
    },
  });
  const enrol = (...words: string[]) => runCommand(home, 'profile', 'enrol', file, ...words);
  const without = await enrol('--key', at('corp.pub'));
  expect(without.code).toBe(2);
  expect(without.errors.replaceAll(' ', '')).toContain(fingerprint);
  const wrong = await enrol('--key', at('corp.pub'), '--fingerprint', 'b'.repeat(64));
  expect([wrong.code, wrong.errors]).toEqual([2, expect.stringContaining('another fingerprint')]);
  expect(given).toEqual([]);

  const large = at('large.json');
  writeFileSync(large, ' '.repeat(700_001));
  const tooLarge = await runCommand(home, 'profile', 'update', large);
  expect([tooLarge.code, tooLarge.errors]).toEqual([2, expect.stringContaining('700000 at most')]);

  const right = ['--key', at('corp.pub'), '--fingerprint', fingerprint.replace(/..../g, '$& ')];
  const nonsense = await enrol(...right, '--allow', 'everything');
  expect([nonsense.code, nonsense.errors]).toEqual([2, expect.stringContaining('"everything"')]);
  const { code, out } = await enrol(...right, '--allow', 'log,bypass');
  expect(code).toBe(0);
  expect(given).toEqual([
    {
      profile: readFileSync(file).toString('base64'),
      signature: readFileSync(`${file}.minisig`, 'utf8'),
      key: readFileSync(at('corp.pub'), 'utf8'),
      grants: ['log', 'bypass'],
    },
  ]);
  expect(out).toBe(
    [
      '! corp.json, line 3: wrong',
      '"Laptops" of Example Corp (example-corp, serial 7)',
      `  key      ${'aaaa '.repeat(16).trim()}`,
      '  allowed  to loosen log',
      '  valid    until 2027-01-31 14:58',
      '  network  domain corp.example (this one, as it seems): bypass',
      '  here     serial 4 stands in: the upstreams of this version do not authenticate',
      '  settings downgrade',
      '  kept     consent: not readable now, so the version before holds',
      '  not      upstreams: it contradicts other settings of this machine, which hold; see: sotto status',
      `  waits    bypass on the network "domain corp.example": it wants [], and ["${'a'.repeat(78)}… holds: it would loosen protection ("bypass"); sotto profile approve 7`,
      '  waits    listen: it wants nothing any more, and ["127.0.0.1:53"] holds: no profile may do this, a policy of this machine can',
      '',
    ].join('\n'),
  );
});

test("a script learns that the system's DNS was not taken, and can require everything", async () => {
  const take = { key: 'systemDns.take', grant: null, behind: 'upstreams', holds: false };
  const waits = {
    ...enrolled,
    waiting: [{ ...take, wanted: null }],
    takeWithoutRoutes: 'waits' as const,
  };
  const whole = { ...enrolled, waiting: [], kept: [], gaveWay: [], standsIn: null };
  let shown: EnrolledProfile = enrolled;
  const given: object[] = [];
  const home = await serve({
    'profile.update': (params) => {
      given.push(params);
      const value = { profile: waits, problems: [], notYet: 'it is for the ring "canary"' };
      return { ok: true, value };
    },
    'profile.show': () => ({ ok: true, value: { profile: shown, delivery: null } }),
    'profile.approve': () => ({
      ok: true,
      value: { profile: { ...whole, takeWithoutRoutes: 'holds' }, problems: [] },
    }),
  });
  const sotto = (...words: string[]) => runCommand(home, 'profile', ...words);
  const updated = await sotto('update');
  expect(updated.code).toBe(1);
  expect(updated.out).toMatch(
    /systemDns\.take: .*"upstreams" has to hold first, or internal names.*\n +later .*ring "canary"\nThe system's DNS was not taken\./,
  );
  const file = profile('corp.json', {});
  await run('keygen', at('corp'), '--no-password');
  await run('sign', file, '--key', at('corp.key'));
  await sotto('update', file, '--require');
  expect(given.at(-1)).toMatchObject({ require: true });
  expect((await sotto('update', '--require')).code).toBe(2);
  const approved = await sotto('approve', '7');
  expect([approved.code, approved.out]).toEqual([
    1,
    expect.stringContaining("The system's DNS is taken, and names go where they went before"),
  ]);
  expect((await sotto('status')).code).toBe(0);
  const parts = [{ waiting: enrolled.waiting }, { kept: ['consent'] }, { standsIn: 4 }];
  for (const part of [...parts, { gaveWay: ['upstreams'] }, {}]) {
    shown = { ...whole, ...part };
    const isWhole = Object.keys(part).length === 0;
    expect((await sotto('status', '--require')).code, JSON.stringify(part)).toBe(isWhole ? 0 : 1);
  }
});

test('each layer of a setting is told, and which of them holds', async () => {
  const layer = { name: null, file: null, lock: null, reason: null, until: null, inForce: false };
  const home = await serve({
    'profile.show': () => ({ ok: true, value: { profile: null, delivery: null } }),
    'profile.effective': () => ({
      ok: true,
      value: {
        settings: [
          {
            key: 'downgrade',
            without: 'refuse',
            layers: [
              {
                ...layer,
                layer: 'profile',
                name: 'Example Corp',
                value: 'refuse',
                lock: 'locked',
                reason: 'r',
                until: Date.UTC(2027, 0, 31, 14, 58),
                inForce: true,
              },
              { ...layer, layer: 'default', value: 'refuse' },
            ],
          },
        ],
      },
    }),
  });
  expect((await runCommand(home, 'profile', 'effective', 'downgrade')).out).toBe(
    'downgrade\n  → profile "Example Corp", locked: r (until 2027-01-31 14:58)  "refuse"\n    default  "refuse"\n',
  );
  const none = await runCommand(home, 'profile', 'status');
  expect([none.code, none.errors]).toEqual([0, 'This machine takes no profile.\n']);
});

test('a machine is enrolled from an address, and brought up to date from there', async () => {
  const given: object[] = [];
  const address = 'https://it.example.com/corp.json';
  const home = await serve({
    'profile.enrol': (params) => {
      given.push(params);
      return { ok: true, value: { profile: { ...enrolled, source: address }, problems: [] } };
    },
    'profile.update': (params) => {
      given.push(params);
      return { ok: true, value: { profile: enrolled, problems: [] } };
    },
  });
  const fingerprint = 'a'.repeat(64);
  const sotto = (...words: string[]) => runCommand(home, 'profile', ...words);
  const more = ['--ring', 'canary', '--address', '192.0.2.80'];
  const { code, out } = await sotto('enrol', address, '--fingerprint', fingerprint, ...more);
  expect([code, out]).toEqual([0, expect.stringContaining(`source   ${address}`)]);
  await sotto('update');
  expect(given).toEqual([
    { source: address, fingerprint, address: '192.0.2.80', grants: [], ring: 'canary' },
    {},
  ]);
});

test.each([
  ['http://it.example.com/corp.json', [], 'is no source'],
  ['https://it.example.com/corp.json', [], '--fingerprint is missing'],
  ['https://it.example.com/corp.json', ['--fingerprint', 'abc'], '"abc" is no fingerprint'],
  [
    'file:///srv/corp.json',
    ['--address', '192.0.2.80', '--fingerprint', 'a'.repeat(64)],
    '--address',
  ],
  ['corp.json', [], '--key is missing'],
  ['sotto://enrol?source=http%3A%2F%2Fit.example.com%2F', [], 'names no source'],
  ['sotto://other', [], 'names no source'],
])('%s %j enrols nothing', async (source, words, message) => {
  const { code, errors } = await run('enrol', source, ...words);
  expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
});

test('a link only shows the command, without a fingerprint and with nothing that a shell would carry out', async () => {
  const asked = new URLSearchParams({
    source: "https://it.example.com/corp.json?a=';reboot",
    allow: 'log,bypass',
    fingerprint: 'a'.repeat(64),
  });
  const { code, errors } = await run('enrol', `sotto://enrol?${asked}`);
  expect(code).toBe(2);
  expect(errors).toContain(
    "sotto profile enrol 'https://it.example.com/corp.json?a='\\'';reboot' --allow log,bypass",
  );
  expect(errors).not.toContain('aaaa');
});
