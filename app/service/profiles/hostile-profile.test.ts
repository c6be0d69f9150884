/** Whole profiles made to confuse, signed and given to a service that has a strict version and may loosen everything. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grants } from '../../contract/settings/profile-methods.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import { lintProfile } from './before-signing/lint.ts';
import { writeSignature } from './minisign.ts';
import { ProfileStage, type SignedVersion } from './profile-stage.ts';
import { signOctets } from './secret-key.ts';

const corpus = join(import.meta.dirname, '..', '..', '..', 'build', 'fuzz', 'corpus', 'profile');
const facts = '"id":"example-corp","serial":7,"issuer":"Example Corp","name":"Laptops"';
const wide = '"bypass":{"value":[{"suffix":".","to":["192.0.2.53"],"downgrade":true}]}';

/** What a machine is given, beside the kept inputs of the fuzz target. */
const made: Readonly<Record<string, string>> = {
  '10,000 levels': `{${facts},"settings":{${wide},"downgrade":{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}}}`,
  '10,000 levels of objects': `{${facts},"settings":{${wide},"downgrade":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}}`,
  '10,000 levels that are never closed': `{${facts},"settings":${'['.repeat(10_000)}`,
  'a misspelt lock beside a wide bypass': `{${facts},"settings":{"downgrad":{"value":"refuse","lock":"locked"},${wide}}}`,
  'a Cyrillic letter in a lock beside a wide bypass': `{${facts},"settings":{"d\u043ewngrade":{"value":"refuse","lock":"locked"},${wide}}}`,
  'a fullwidth letter in a lock': `{${facts},"settings":{"\uff44owngrade":{"value":"refuse","lock":"locked"},${wide}}}`,
  'a lock without the width of a character': `{${facts},"settings":{"down\u200bgrade":{"value":"refuse","lock":"locked"},${wide}}}`,
  'a value in another form': `{${facts},"settings":{"downgrade":{"value":"fallbac\u212a"},${wide}}}`,
  'the same key by an escape': `{${facts},"settings":{"downgrade":{"value":"refuse"},"d\\u006fwngrade":{"value":"fallback"}}}`,
  'two files in one': `{${facts},"settings":{}}{${facts},"settings":{${wide}}}`,
  'a second settings after a comment': `{${facts},"settings":{/*"}}*/"downgrade":{"value":"fallback","loc":1}}}`,
};
const hostile: [string, Buffer][] = [
  ...Object.entries(made).map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]),
  ...readdirSync(corpus).map((name): [string, Buffer] => [name, readFileSync(join(corpus, name))]),
];
const faulty = hostile.filter(([, octets]) => lintProfile('p.json', octets).problems.length > 0);

const stage = new ProfileStage();
const strict = {
  downgrade: { value: 'refuse', lock: 'locked' },
  bypass: { value: [], lock: 'locked' },
  consent: { value: 'administrator', lock: 'locked' },
};

function signed(octets: Buffer): SignedVersion {
  const signature = writeSignature(signOctets(octets, stage.key, 'serial:7'));
  return { profile: octets.toString('base64'), signature };
}

describe('a service with a strict version', () => {
  beforeAll(async () => {
    await stage.startWith({
      downgrade: 'fallback',
      bypass: [{ suffix: 'lan.example', to: ['192.0.2.53'] }],
    });
    expect(await stage.enrol(stage.signed(1, strict), [...grants])).toMatchObject({ ok: true });
  });
  afterAll(() => stage.close());

  async function strictStill(): Promise<void> {
    const values = Object.fromEntries(
      await Promise.all(
        Object.keys(strict).map(async (key) => [key, await stage.inForce(key)] as const),
      ),
    );
    expect(values).toMatchObject({
      downgrade: { value: 'refuse', locked: true },
      bypass: { value: [], locked: true },
      consent: { value: 'administrator', locked: true },
    });
  }

  test.each(faulty)('%s loosens nothing, and is answered', async (_name, octets) => {
    const reply = await stage.update(signed(octets));
    if (!reply.ok) expect(reply.failure.code).toMatch(/^profile-(refused|not-yet)$/);
    await strictStill();
  });

  test.each(hostile)(
    '%s is refused where one octet was changed after it was signed',
    async (_name, octets) => {
      const given = signed(octets);
      const changed = Buffer.from(octets);
      changed.writeUInt8((changed.readUInt8(changed.length >> 1) ^ 1) & 0xff, changed.length >> 1);
      expect(await stage.update({ ...given, profile: changed.toString('base64') })).toMatchObject({
        ok: false,
        failure: { code: 'profile-refused' },
      });
      const cut = octets.subarray(0, octets.length - 1).toString('base64');
      expect(await stage.update({ ...given, profile: cut })).toMatchObject({ ok: false });
      await strictStill();
    },
  );

  test('more than a service takes is refused, and the service goes on', async () => {
    const large = Buffer.from(`{${facts},"settings":{}}${' '.repeat(20_000_000)}`);
    const reply = await stage.update(signed(large)).catch((error: Error) => error);
    expect(reply).not.toMatchObject({ ok: true });
    stage.service = await stage.client();
    await strictStill();
  });
});

test('10 MB, and as many errors as a request has room for, are read in less than ten seconds', () => {
  const names = Array.from({ length: 120_000 }, (_, index) => ({
    suffix: `n${index}.a-rather-long-name-of-a-zone.example`,
    to: ['192.0.2.53'],
  }));
  const whole = `{${facts},"settings":{"bypass":{"value":${JSON.stringify(names)}}}}`;
  const texts = [
    whole,
    whole.slice(0, -1),
    `{${facts},"settings":{"bypass":{"value":[${'1,'.repeat(350_000)}1]}}}`,
    '{"a":'.repeat(2_000_000),
    'x'.repeat(10_000_000),
  ];
  for (const [index, text] of texts.entries()) {
    const started = process.cpuUsage();
    const { problems } = lintProfile('p.json', Buffer.from(text));
    const { user, system } = process.cpuUsage(started);
    expect([index, (user + system) / 1e6 < 10]).toEqual([index, true]);
    expect([index, problems.length > 0]).toEqual([index, index !== 0]);
    expect(problems.length).toBeLessThan(50);
  }
}, 120_000);

test('no other key than that of a setting is taken for one', () => {
  const looks = (key: string) => [
    key.replace('o', '\u043e'),
    key.replace('e', '\u0435'),
    `${key}\u200b`,
    `\ufeff${key}`,
    `${key} `,
    key.toUpperCase(),
    `${key}\u0000`,
  ];
  for (const key of settingKeys)
    for (const other of looks(key).filter((one) => one !== key)) {
      const text = `{${facts},"settings":{${JSON.stringify(other)}:{"value":1,"lock":"locked"}}}`;
      const { profile, problems } = lintProfile('p.json', Buffer.from(text));
      expect([other, profile?.entries, problems.length]).toEqual([other, [], 1]);
    }
});
