import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingKeys } from '../../contract/settings/settings.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

test('config check names path, line and reason, and needs no service', async () => {
  const home = await serve({});
  const file = join(home, 'candidate.json');
  writeFileSync(
    file,
    '{\n  "downgrade": "never",\n  "cache": { "entries": -1 },\n  "cahce": {}\n}\n',
  );
  const wrong = await runCommand(home, 'config', 'check', file);
  expect([wrong.code, wrong.out]).toEqual([2, '']);
  expect(wrong.errors).toMatch(/candidate\.json:2: downgrade: "never" is not a downgrade policy/);
  expect(wrong.errors).toMatch(/candidate\.json:3: cache\.entries: /);
  expect(wrong.errors).toMatch(/candidate\.json:4: cahce: unknown field/);
  expect(wrong.errors).toMatch(/the file has 3 errors – .* – correct the file/);
  const json = JSON.parse((await runCommand(home, 'config', 'check', file, '--json')).out);
  expect(json.ok).toBe(false);
  expect(
    json.problems.map(({ line, path }: { line: number; path: string }) => [line, path]),
  ).toEqual([
    [2, 'downgrade'],
    [3, 'cache.entries'],
    [4, 'cahce'],
  ]);

  writeFileSync(file, '{ "cache": { "entries": 10 } }');
  expect(await runCommand(home, 'config', 'check', file)).toEqual({
    code: 0,
    out: `${file} is fine.\n`,
    errors: '',
  });
  expect((await runCommand(home, 'config', 'check', join(home, 'none.json'))).code).toBe(2);
});

test('config check tells what makes a policy useless or dangerous, as lint does of a profile', async () => {
  const home = await serve({});
  const draft = join(home, 'draft.json');
  const check = (settings: object, ...more: string[]) => {
    writeFileSync(draft, JSON.stringify({ name: 'Corp', settings }));
    return runCommand(home, 'config', 'check', draft, ...more);
  };
  const over = { 'cache.entries': { value: 9, until: '2020-01-01T00:00:00Z' } };
  const code = { pause: { value: 'code', lock: true } };
  const { code: exit, out, errors } = await check({ ...over, ...code });
  expect([exit, out]).toEqual([1, expect.stringContaining('valid, but doubtful')]);
  expect(errors).toMatch(/its "until" is over/);
  expect(errors).toMatch(/settings\.pause\.value: without "systemDns\.take"/);
  const { ok, doubts } = JSON.parse((await check(code, '--json')).out);
  expect([ok, doubts]).toEqual([true, [expect.objectContaining({ file: draft })]]);
  mkdirSync(join(home, 'policy.d'));
  const take = { name: 'T', settings: { 'systemDns.take': { value: true, lock: true } } };
  writeFileSync(join(home, 'policy.d', '10.json'), JSON.stringify(take));
  const placed = join(home, 'policy.d', '20.json');
  writeFileSync(placed, JSON.stringify({ name: 'C', settings: code }));
  const beside = await runCommand(home, 'config', 'check', placed);
  expect([beside.code, beside.errors], 'another policy takes it').toEqual([0, '']);
});

test('config check knows a policy by its place or its words, and names its errors', async () => {
  const home = await serve({});
  const check = (...words: string[]) => runCommand(home, 'config', 'check', ...words);
  const draft = join(home, 'draft.json');
  writeFileSync(
    draft,
    `{ "name": "Corp", "settings": {
      "downgrade": { "value": "never", "lock": true },
      "bypass": { "value": [{ "suffix": "com", "to": ["192.0.2.1"] }] } } }`,
  );
  const wrong = await check(draft);
  expect([wrong.code, wrong.out]).toEqual([2, '']);
  expect(wrong.errors).toMatch(
    /draft\.json:2: settings\.downgrade\.value: "never" is not a downgr/,
  );
  expect(wrong.errors).toMatch(
    /draft\.json:3: settings\.bypass\.value\[0\]\.suffix: "com" is a public/,
  );
  expect(wrong.errors).toMatch(/2 errors – the service would keep what the policy said last – /);
  expect(JSON.parse((await check(draft, '--json')).out)).toMatchObject({
    kind: 'policy',
    ok: false,
    problems: [{ file: draft, line: 2, path: 'settings.downgrade.value' }, { line: 3 }],
  });

  const policies = join(home, 'policy.d');
  mkdirSync(policies);
  const place = (name: string, text: string) => {
    writeFileSync(join(policies, name), text);
    return join(policies, name);
  };
  const broken = await check(place('30.json', '{ "downgrade": '));
  expect(broken.errors).toMatch(/30\.json:1: not valid JSON: .*\n.* what the policy said last/);
  expect((await check(place('30.json', ''))).errors).toMatch(
    /30\.json:1: the file is empty; .*"name"/,
  );

  const lock = '{"name": "Corp", "settings": {\n"downgrade": {"value": "warn", "lock": true}}}';
  place('10.json', lock);
  const second = await check(place('30.json', lock.replace('Corp', 'Other')));
  expect(second.errors).toMatch(
    /30\.json:2: settings\.downgrade\.value: .*locked by Corp .*not in force/,
  );
  writeFileSync(draft, lock);
  expect(await check(draft)).toEqual({
    code: 0,
    out: `${draft} is a policy, and fine.\n`,
    errors: '',
  });
  expect((await check(place('10.json.new', lock))).errors).toMatch(/^note: .* end in ".json"\n$/);

  writeFileSync(draft, '{ "cache": { "entries": 10 } }');
  const noted = await check(draft);
  expect([noted.code, noted.out]).toEqual([0, `${draft} is fine.\n`]);
  expect(noted.errors).toMatch(/note: .*30\.json, line 2: settings\.downgrade\.value: /);
  expect(settingKeys.map((key) => key.split('.')[0])).not.toContain('name');
  expect(settingKeys.map((key) => key.split('.')[0])).not.toContain('settings');
});
