/** What a whole service records, and what it leaves out. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AuditRecord } from '../../contract/protection/audit-record.ts';
import { inGroups, readChallenge } from '../../contract/protection/pause-code.ts';
import { type MethodName, mayCall, roles } from '../../contract/service-api.ts';
import {
  keyFromSecret,
  type MachineKey,
  makeSecret,
  responseTo,
  writeMachineKey,
} from '../pause-codes/pause-key.ts';
import { fingerprintOf, writePublicKey } from '../profiles/minisign.ts';
import { ProfileStage, type SignedVersion } from '../profiles/profile-stage.ts';
import { makeSecretKey, publicKeyOf } from '../profiles/secret-key.ts';
import { judgeChain } from './chain.ts';
import { mostOfAKind } from './limit-deeds.ts';

let stage: ProfileStage;
beforeEach(() => {
  stage = new ProfileStage();
  onTestFinished(() => stage.close());
});

async function records(): Promise<AuditRecord[]> {
  const listed = await stage.service.call('audit.list', { limit: 1000 });
  return listed.ok ? listed.value.records : [];
}

/** Since the start. */
async function told(): Promise<[string, AuditRecord['fields']][]> {
  const all = await records();
  const start = all.findLastIndex(({ event }) => event === 'service-started');
  return all.slice(start + 1).map(({ event, fields }) => [event, fields]);
}

test('a profile from the enrolment to the end, with whoever decided', async () => {
  await stage.startWith({ downgrade: 'warn' });
  const locked = { downgrade: { value: 'refuse', lock: 'locked' } };
  await stage.enrol(stage.signed(1, locked), ['log']);
  await stage.update(stage.signed(2, { ...locked, rungs: { value: ['udp', 'network'] } }));
  await stage.service.call('profile.approve', { serial: 2 });
  await stage.update(stage.signed(1, locked));
  await stage.update(stage.signed(3, locked, {}, makeSecretKey()));
  await stage.update(
    stage.signed(4, { bypass: { value: [{ suffix: 'secret.test' }] } }, { strict: true }),
  );
  await stage.service.call('settings.set', { key: 'downgrade', value: 'fallback' });
  await stage.service.call('profile.leave', {});
  await stage.service.call('settings.set', { key: 'downgrade', value: 'fallback' });

  const profile = 'example-corp';
  expect(await told()).toEqual([
    ['setting-changed', { setting: 'downgrade', value: 'refuse' }],
    ['profile-enrolled', expect.objectContaining({ profile, serial: 1, grants: ['log'] })],
    ['profile-accepted', { profile, serial: 2, gaveWay: [], by: 'update', waiting: ['rungs'] }],
    ['setting-changed', { setting: 'rungs', value: 'udp,network' }],
    ['profile-approved', { profile, serial: 2, gaveWay: [] }],
    ['profile-refused', expect.objectContaining({ why: expect.stringContaining('serial 1') })],
    ['profile-refused', expect.objectContaining({ why: expect.stringContaining('another key') })],
    ['profile-refused', { by: 'update', code: 'profile-refused', why: null }],
    ['change-refused', { method: 'settings.set', setting: 'downgrade', code: 'setting-locked' }],
    ['setting-changed', { setting: 'downgrade', value: 'warn' }],
    ['setting-changed', { setting: 'rungs', value: expect.any(String) }],
    ['profile-left', { profile }],
    ['setting-changed', { setting: 'downgrade', value: 'fallback' }],
  ]);
  const caused = (await records()).filter(({ event }) => event.startsWith('profile-'));
  expect(new Set(caused.map(({ who }) => who))).toEqual(new Set([process.getuid?.()]));
  const text = readFileSync(stage.file('audit.jsonl'), 'utf8');
  expect(text).not.toContain('secret.test');
  expect(statSync(stage.file('audit.jsonl')).mode & 0o777).toBe(0o600);
});

test('what the source of a profile brings is recorded as delivered, and what is refused again only once', async () => {
  await stage.startWith();
  const bring = ({ profile, signature }: SignedVersion) => {
    stage.folder.write('corp.json', Buffer.from(profile, 'base64').toString());
    stage.folder.write('corp.json.minisig', signature);
  };
  bring(stage.signed(1, {}));
  const publicKey = publicKeyOf(stage.key);
  const enrolled = await stage.service.call('profile.enrol', {
    source: pathToFileURL(stage.file('corp.json')).href,
    key: writePublicKey(publicKey),
    fingerprint: fingerprintOf(publicKey),
    grants: [],
  });
  expect(enrolled).toMatchObject({ ok: true });
  const stranger = makeSecretKey();
  const brought = [stage.signed(2, {}), stage.signed(3, {}, {}, stranger), stage.signed(4, {})];
  for (const version of brought) {
    bring(version);
    for (let look = 0; look < 3; look += 1) await stage.service.call('profile.update', {});
  }
  const seen = (await records()).filter(({ fields }) => fields['by'] === 'delivery');
  expect(seen.map(({ event, who, fields }) => [event, who, fields['serial']])).toEqual([
    ['profile-accepted', null, 2],
    ['profile-refused', null, undefined],
    ['profile-accepted', null, 4],
  ]);
});

test('administrators read the log; whoever controls Sotto gets the head, and others nothing', () => {
  const may = (name: MethodName) => roles.filter((role) => mayCall(role, name));
  expect([may('audit.list'), may('audit.head')]).toEqual([
    ['administer'],
    ['control', 'administer'],
  ]);
});

test('a policy that comes, changes and goes is recorded without its values', async () => {
  const bypass = (to: string) => ({ bypass: { value: [{ suffix: 'secret.test', to: [to] }] } });
  stage.folder.write('policy.d/one.json', { name: 'Corp', settings: bypass('10.0.0.1') });
  await stage.startWith();
  const file = stage.file('policy.d/one.json');
  stage.folder.write('policy.d/one.json', {
    name: 'Corp',
    settings: { ...bypass('10.0.0.2'), pause: { value: 'code', lock: true } },
  });
  await stage.running?.reload();
  expect(await told()).toEqual([
    ['policy-in-force', { file, settings: ['pause', 'bypass'], locked: ['pause'] }],
    ['setting-changed', { setting: 'pause', value: 'code' }],
    ['setting-changed', { setting: 'bypass', value: null }],
  ]);
  expect(readFileSync(stage.file('audit.jsonl'), 'utf8')).not.toContain('secret.test');
});

test('what loosens a setting is recorded by its key, with whoever did it, by whatever way it came', async () => {
  await stage.startWith({ learnRules: 'off', queryLog: { mode: 'counts', programs: false } });
  const { service } = stage;
  const set = (key: string, value: string | string[]) =>
    service.call('settings.set', { key, value });
  await set('queryLog.mode', 'full');
  await set('queryLog.mode', 'counts');
  await service.call('settings.undo', {});
  await set('learnRules', 'vpn');
  await set('allowPrivate', ['secret.test']);
  await service.call('rule.add', { suffix: 'secret.test', to: ['192.0.2.1'] });
  await service.call('rule.import', { text: 'other.test 192.0.2.2', mode: 'merge', dryRun: false });
  const written = JSON.parse(readFileSync(stage.file('settings.json'), 'utf8'));
  stage.folder.write('settings.json', {
    ...written,
    queryLog: { ...written.queryLog, programs: true },
  });
  await stage.running?.reload();
  const loosened = (await records()).filter(({ event }) => event === 'setting-changed');
  const [own, nobody] = [process.getuid?.(), null];
  expect(loosened.map(({ who, fields }) => [who, fields['setting'], fields['value']])).toEqual([
    [own, 'queryLog.mode', 'full'],
    [own, 'queryLog.mode', 'counts'],
    [own, 'queryLog.mode', 'full'],
    [own, 'learnRules', 'vpn'],
    [own, 'allowPrivate', null],
    [own, 'bypass', null],
    [own, 'bypass', null],
    [nobody, 'queryLog.programs', 'true'],
  ]);
  expect(readFileSync(stage.file('audit.jsonl'), 'utf8')).not.toMatch(/secret\.test|other\.test/);
});

test('what erases or ends what is kept is recorded, and what changes nothing is not', async () => {
  await stage.startWith({ queryLog: { mode: 'full', keepDays: 30 } });
  const { service } = stage;
  for (let index = 0; index < 20; index += 1) {
    await service.call('protection.on', {});
    await service.call('settings.set', {
      key: 'rungs',
      value: index % 2 === 0 ? ['udp', 'tcp'] : ['tcp', 'udp'],
    });
  }
  expect(await told()).toEqual([]);
  await service.call('protection.off', {});
  await service.call('protection.off', {});
  await service.call('protection.on', {});
  await service.call('log.clear', {});
  await service.call('settings.set', { key: 'queryLog.keepDays', value: 1 });
  await service.call('settings.set', { key: 'queryLog.mode', value: 'off' });
  await service.call('settings.set', { key: 'portal.detect', value: false });
  expect(await told()).toEqual([
    ['protection-switched', { to: 'off', minutes: null }],
    ['protection-switched', { to: 'on', minutes: null }],
    ['query-log-erased', {}],
    ['setting-changed', { setting: 'queryLog.keepDays', value: '1' }],
    ['setting-changed', { setting: 'queryLog.mode', value: 'off' }],
    ['setting-changed', { setting: 'portal.detect', value: 'false' }],
  ]);
});

test('an administrator pushes nothing out either: what is done again and again is counted until the service ends', async () => {
  await stage.startWith();
  for (let index = 0; index < 20; index += 1) {
    await stage.service.call('protection.off', {});
    await stage.service.call('protection.on', {});
  }
  const own = await records();
  expect(own.filter(({ event }) => event === 'protection-switched')).toHaveLength(2 * mostOfAKind);
  await stage.stop();
  await stage.begin();
  const counted = (await records()).filter(({ event }) => event === 'deeds-left-out');
  const count = 20 - mostOfAKind;
  expect(counted).toMatchObject([
    { fields: { event: 'protection-switched', count, last: ['to off'] } },
    { fields: { event: 'protection-switched', count, last: ['to on'] } },
  ]);
});

test('what was loosened while the service was down is recorded when it starts', async () => {
  await stage.startWith({ downgrade: 'refuse', queryLog: { mode: 'off' } });
  await stage.stop();
  stage.folder.write('settings.json', {
    ...JSON.parse(readFileSync(stage.file('settings.json'), 'utf8')),
    downgrade: 'fallback',
    queryLog: { mode: 'full' },
  });
  await stage.begin();
  const changed = [
    ['setting-changed', { setting: 'downgrade', value: 'fallback' }],
    ['setting-changed', { setting: 'queryLog.mode', value: 'full' }],
  ];
  expect(await told()).toEqual(changed);
  await stage.stop();
  await stage.begin();
  expect(await told()).toEqual([]);
});

test('the head is that of the file, also after a restart, which is recorded with the profile in force', async () => {
  await stage.startWith();
  await stage.enrol(stage.signed(1, {}));
  await stage.stop();
  await stage.begin();
  const head = await stage.service.call('audit.head', {});
  const judged = judgeChain(readFileSync(stage.file('audit.jsonl')));
  expect([judged.broken, head]).toEqual([null, { ok: true, value: judged.head }]);
  expect(judged.records.at(-1)).toMatchObject({
    event: 'service-started',
    who: null,
    fields: { profile: 'example-corp', serial: 1 },
  });
});

test('where the log can not be written, everything else goes on, and health tells it', async () => {
  stage.folder.write('audit.jsonl/in-the-way', '');
  await stage.startWith();
  const locked = { downgrade: { value: 'refuse', lock: 'locked' } };
  expect(await stage.enrol(stage.signed(1, locked))).toMatchObject({ ok: true });
  expect(await stage.inForce('downgrade')).toMatchObject({ locked: true });
  const status = await stage.service.call('status.get', {});
  const issues = status.ok ? status.value.health : [];
  expect(issues).toContainEqual(
    expect.objectContaining({ code: 'audit-stopped', text: expect.stringContaining('folder') }),
  );
});

const key = keyFromSecret(makeSecret(), 'K7QM2XVD') as MachineKey;

async function challenge(minutes: number): Promise<string> {
  const asked = await stage.service.call('pause.challenge', { minutes });
  const request = readChallenge(asked.ok ? asked.value.challenge : '');
  return request === null ? '' : inGroups(responseTo(request, key));
}

test('under "code" nobody pauses and switches off without one, and each attempt is recorded', async () => {
  stage.folder.write('policy.d/one.json', {
    name: 'Corp',
    settings: { pause: { value: 'code', lock: true, reason: 'ask the help desk' } },
  });
  writeFileSync(stage.file('pause.key'), writeMachineKey(key), { mode: 0o600 });
  await stage.startWith();
  const needed = { ok: false, failure: { code: 'pause-code-needed' } };
  const { service } = stage;
  expect(await service.call('protection.pause', { minutes: 5 })).toMatchObject(needed);
  expect(await service.call('protection.pause', { untilRestart: true })).toMatchObject(needed);
  expect(await service.call('protection.off', {})).toMatchObject(needed);
  expect(await service.call('settings.set', { key: 'pause', value: 'allowed' })).toMatchObject({
    failure: { code: 'setting-locked' },
  });
  const code = await challenge(30);
  expect(await service.call('pause.redeem', { code: 'x' })).toMatchObject({
    failure: { code: 'pause-code-refused' },
  });
  const redeemed = await service.call('pause.redeem', { code });
  expect(redeemed).toMatchObject({
    ok: true,
    value: { minutes: 30, status: { protection: { state: 'paused' } } },
  });
  await service.call('protection.on', {});
  expect(await service.call('pause.redeem', { code })).toMatchObject({ ok: false });
  expect(await told()).toEqual([
    ['switch-refused', { to: 'paused', code: 'pause-code-needed' }],
    ['switch-refused', { to: 'paused', code: 'pause-code-needed' }],
    ['switch-refused', { to: 'off', code: 'pause-code-needed' }],
    ['change-refused', { method: 'settings.set', setting: 'pause', code: 'setting-locked' }],
    ['challenge-made', { minutes: 30 }],
    [
      'pause-code-refused',
      { code: 'pause-code-refused', why: 'a code has eight letters and digits' },
    ],
    ['pause-code-accepted', { minutes: 30 }],
    ['protection-switched', { to: 'on', minutes: null }],
    ['pause-code-refused', { code: 'pause-code-refused', why: 'no challenge is open' }],
  ]);
  expect(readFileSync(stage.file('audit.jsonl'), 'utf8')).not.toContain(code);
});

test('what was off before the setting came is on again, also over a restart', async () => {
  await stage.startWith();
  const state = async () => {
    const status = await stage.service.call('status.get', {});
    return status.ok ? status.value.protection.state : null;
  };
  await stage.service.call('protection.off', {});
  expect(await state()).toBe('off');
  await stage.service.call('settings.set', { key: 'pause', value: 'code' });
  expect(await state()).not.toBe('off');
  await stage.service.call('settings.set', { key: 'pause', value: 'allowed' });
  await stage.service.call('protection.off', {});
  await stage.stop();
  stage.folder.write('settings.json', { pause: 'code' });
  await stage.begin();
  expect(await state()).not.toBe('off');
});

test('a key that others can read is refused, and a machine without the setting asks for no code', async () => {
  await stage.startWith();
  expect(await stage.service.call('pause.challenge', { minutes: 5 })).toMatchObject({
    failure: { message: 'pausing needs no code here' },
  });
  await stage.service.call('settings.set', { key: 'pause', value: 'code' });
  writeFileSync(stage.file('pause.key'), writeMachineKey(key));
  chmodSync(stage.file('pause.key'), 0o644);
  expect(await stage.service.call('pause.challenge', { minutes: 5 })).toMatchObject({
    failure: { code: 'no-pause-key', message: expect.stringContaining('others may read it') },
  });
});
