/** What a source holds again and again is told once, and what is changed again is told again; through the whole service. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprintOf } from '../minisign.ts';
import { ProfileStage, type SignedVersion } from '../profile-stage.ts';
import { publicKeyOf } from '../secret-key.ts';

const refuse = { downgrade: { value: 'refuse', lock: 'locked' } };

let stage: ProfileStage;
beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(() => stage.close());

function put(file: string, { profile, signature }: SignedVersion): void {
  writeFileSync(stage.file(file), Buffer.from(profile, 'base64'));
  writeFileSync(stage.file(`${file}.minisig`), signature);
}

async function enrolled(file: string, source: string): Promise<void> {
  await stage.startWith();
  put(file, stage.signed(1, refuse));
  const found = await stage.service.call('profile.enrol', {
    source,
    key: stage.publicKey(),
    fingerprint: fingerprintOf(publicKeyOf(stage.key)),
    grants: [],
  });
  expect(found).toMatchObject({ value: { profile: { serial: 1 } } });
}
const look = () => stage.service.call('profile.update', {});

test('each file is told, and again after it was gone or is another', async () => {
  mkdirSync(stage.file('drop'));
  await enrolled('drop/1.json', `${pathToFileURL(stage.file('drop')).href}/`);
  const bad = (n: number) => ({
    ...stage.signed(n, {}),
    signature: stage.signed(9, {}).signature,
  });
  const told = () =>
    stage.lines
      .filter((line) => line.includes('"profile-refused"'))
      .map((line) => /(\d)\.json: it is/.exec(line)?.[1]);
  for (const n of [2, 3]) put(`drop/${n}.json`, bad(n));
  await look();
  expect(told().sort()).toEqual(['2', '3']);
  put('drop/3.json', bad(4));
  await look();
  expect(told(), 'the same name with other octets').toHaveLength(3);
  execFileSync('rm', [stage.file('drop/2.json')]);
  await look();
  put('drop/2.json', bad(2));
  for (let time = 0; time < 2; time += 1) await look();
  expect(told()).toHaveLength(4);
  put('drop/5.json', stage.signed(5, refuse));
  expect(await look()).toMatchObject({ value: { profile: { serial: 5 } } });
  await look();
  expect(told(), 'not because another version came').toHaveLength(4);
});

test('a version that is changed again, or loses its signature, reaches the journal again', async () => {
  await enrolled('corp.json', pathToFileURL(stage.file('corp.json')).href);
  const why = () =>
    stage.lines.flatMap((line) => {
      const { event, why } = JSON.parse(line) as Record<string, string>;
      return event === 'profile-refused' ? [why] : [];
    });
  const good = stage.signed(1, refuse);
  const changed = { ...stage.signed(2, {}), signature: good.signature };
  const put2 = [changed, good, changed, { ...changed, profile: stage.signed(3, {}).profile }];
  for (const version of put2) {
    put('corp.json', version);
    await look();
    await look();
  }
  expect(why()).toEqual(Array(3).fill('it is not what was signed'));
  execFileSync('rm', [stage.file('corp.json.minisig')]);
  await look();
  await look();
  expect(why().slice(3)).toEqual(['it has no signature']);
  expect(await stage.service.call('profile.show', {})).toMatchObject({
    value: { delivery: { isRefused: true } },
  });
  put('corp.json', good);
  execFileSync('rm', [stage.file('corp.json.minisig')]);
  expect(await look(), 'the version that holds needs none').toMatchObject({ ok: true });
});
