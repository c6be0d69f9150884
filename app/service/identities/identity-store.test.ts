import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { testCertificate, testFolder } from '../base/test-folder.ts';
import { testIdentity } from './identity-fixture.ts';
import { createIdentityHandlers } from './identity-handlers.ts';
import { readIdentity } from './identity-pem.ts';
import { openIdentities } from './identity-store.ts';

const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function newFolder() {
  const folder = testFolder();
  folders.push(folder);
  return folder;
}

const administrator = { role: 'administer', who: null } as never;

function handlers(path: string, upstreams: readonly UpstreamSetting[] = [], now = Date.now()) {
  const notes: unknown[] = [];
  let settled = 0;
  const identities = openIdentities(path);
  return {
    identities,
    notes,
    settled: () => settled,
    ...createIdentityHandlers({
      identities,
      upstreams: () => upstreams,
      async settle() {
        settled += 1;
      },
      journal: { note: (...note: unknown[]) => notes.push(note) } as never,
      now: () => now,
    }),
  };
}

test('an identity is kept for its owner alone, and is there after a restart', async () => {
  const path = join(newFolder().path, 'identities');
  const first = handlers(path);
  const added = await first['identity.add']({ name: 'corp', ...testIdentity }, administrator);
  expect(added).toMatchObject({ ok: true, value: { replaced: false } });
  expect(first.settled()).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, 'corp.pem')).mode & 0o777).toBe(0o600);
  expect(openIdentities(path).all()).toEqual(first.identities.all());
  const again = await first['identity.add']({ name: 'corp', ...testIdentity }, administrator);
  expect(again).toMatchObject({ ok: true, value: { replaced: true } });
  expect(readdirSync(path)).toEqual(['corp.pem']);
});

test('no reply and no line of the journal has the key', async () => {
  const one = handlers(newFolder().path);
  const said = [
    await one['identity.add']({ name: 'corp', ...testIdentity }, administrator),
    await one['identity.list']({}, administrator),
    one.notes,
    await one['identity.remove']({ name: 'corp' }, administrator),
    await one['identity.add'](
      { name: 'corp', key: testIdentity.key, certificates: '' },
      administrator,
    ),
  ];
  const [secret = ''] = testIdentity.key.split('\n').slice(1);
  expect(JSON.stringify(said)).not.toContain(secret);
  expect(JSON.stringify(said)).not.toContain('PRIVATE KEY');
});

test('one that an upstream names is not removed', async () => {
  const upstream: UpstreamSetting = {
    id: 'office',
    transport: 'dot',
    address: '192.0.2.1',
    identity: 'corp',
  };
  const one = handlers(newFolder().path, [upstream]);
  await one['identity.add']({ name: 'corp', ...testIdentity }, administrator);
  await one['identity.add']({ name: 'spare', ...testIdentity }, administrator);
  expect(await one['identity.remove']({ name: 'corp' }, administrator)).toMatchObject({
    ok: false,
    failure: { code: 'identity-in-use', message: 'corp identifies this machine to office' },
  });
  expect(await one['identity.remove']({ name: 'spare' }, administrator)).toMatchObject({
    ok: true,
  });
  expect(await one['identity.remove']({ name: 'spare' }, administrator)).toMatchObject({
    failure: { code: 'unknown-identity' },
  });
});

test('what can not be used is refused, and what was there stays', async () => {
  const path = newFolder().path;
  const one = handlers(path);
  await one['identity.add']({ name: 'corp', ...testIdentity }, administrator);
  const before = readFileSync(join(path, 'corp.pem'), 'utf8');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreign = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const wrong of [
    { ...testIdentity, key: foreign },
    { ...testIdentity, key: '' },
    { ...testIdentity, certificates: testCertificate },
  ])
    expect(await one['identity.add']({ name: 'corp', ...wrong }, administrator)).toMatchObject({
      failure: { code: 'identity-unusable' },
    });
  expect(readFileSync(join(path, 'corp.pem'), 'utf8')).toBe(before);
  const late = handlers(path, [], Date.UTC(2200, 0));
  expect(
    await late['identity.add']({ name: 'corp', ...testIdentity }, administrator),
  ).toMatchObject({
    failure: { message: expect.stringContaining('expired on 21') },
  });
});

test('a disk that refuses changes nothing', async () => {
  const folder = newFolder();
  folder.write('identities', 'a file where the folder belongs');
  const one = handlers(join(folder.path, 'identities'));
  expect(await one['identity.add']({ name: 'corp', ...testIdentity }, administrator)).toMatchObject(
    {
      failure: { code: 'state-unwritable' },
    },
  );
  expect(one.identities.all().size).toBe(0);
});

test('a file that is torn is told of, and one whose name is none is left alone', () => {
  const folder = newFolder();
  const read = readIdentity(testIdentity.key, testIdentity.certificates);
  if ('reason' in read) throw new Error(read.reason);
  folder.write('torn.pem', read.identity.pem.slice(0, 400));
  folder.write('-x.pem', read.identity.pem);
  folder.write('corp.pem.new', read.identity.pem);
  mkdirSync(join(folder.path, 'folder.pem'));
  symlinkSync('nowhere', join(folder.path, 'link.pem'));
  const all = openIdentities(folder.path).all();
  expect([...all.keys()]).toEqual(['folder', 'link', 'torn']);
  expect([...all.values()].every(({ pem, trouble }) => pem === null && trouble !== null)).toBe(
    true,
  );
});
