/** `sotto audit`: what a service tells, and what is found in files without one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { AuditHead, AuditRecord } from '../../contract/protection/audit-record.ts';
// biome-ignore-start lint/style/noRestrictedImports: the files are those that a service writes.
import { auditFiles } from '../../service/audit/audit-files.ts';
import { type AuditLog, openAuditLog } from '../../service/audit/audit-log.ts';
import { type TestFolder, testFolder } from '../../service/base/test-folder.ts';
// biome-ignore-end lint/style/noRestrictedImports: the files are those that a service writes.
import { type Ran, runCommand, serve } from '../fixtures/fake-service.ts';

let folder: TestFolder;
let file = '';
let log: AuditLog;
beforeEach(() => {
  folder = testFolder();
  onTestFinished(() => folder.remove());
  file = `${folder.path}/audit.jsonl`;
  log = openAuditLog({
    files: auditFiles(file),
    now: () => Date.UTC(2026, 10, 1),
    elapsed: () => 0,
    later: () => {},
    mostOctets: 1000,
  });
  for (let serial = 1; serial <= 20; serial += 1)
    log.note(['profile-approved', { profile: 'example-corp', serial, gaveWay: [] }]);
});

const verify = (...words: string[]): Promise<Ran> =>
  runCommand(folder.path, 'audit', 'verify', ...words);
const headOf = ({ records, hash }: AuditHead) => `${records}:${hash}`;
const change = (from: string, to: string) =>
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

test('files that hold are whole, also one alone and with a head of before', async () => {
  const early = log.head();
  const all = await verify();
  expect([all.code, all.out]).toEqual([
    0,
    `The chain holds: records 1 to 20.\nhead ${headOf(early)}\n`,
  ]);
  log.note(['profile-left', { profile: 'example-corp' }]);
  for (const head of [headOf(early), early.hash.toUpperCase(), headOf(log.head())])
    expect((await verify('--head', head)).code).toBe(0);
  const one = await verify(file);
  expect([one.code, one.out]).toEqual([0, expect.stringMatching(/It begins at record \d+:/)]);
});

test('a record that was changed is named by file and line', async () => {
  change('example-corp', 'example-kopr');
  const ran = await verify();
  expect([ran.code, ran.out]).toEqual([1, expect.stringContaining(`${file}, line 2: record`)]);
  const { ok, problems } = JSON.parse((await verify('--json')).out) as {
    ok: boolean;
    problems: string[];
  };
  expect([ok, problems.length]).toEqual([false, 1]);
});

test('an end that was cut, and a chain that was made anew, are found with a head alone', async () => {
  const head = headOf(log.head());
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${lines.slice(0, -2).join('\n')}\n`);
  expect((await verify()).code).toBe(0);
  const cut = await verify('--head', head);
  expect([cut.code, cut.out]).toEqual([1, expect.stringContaining('the end was cut off')]);

  const before = log.read({ limit: 100 }).length;
  const forged = openAuditLog({
    files: auditFiles(file),
    now: () => 0,
    elapsed: () => 0,
    later: () => {},
  });
  for (let index = before; index < 22; index += 1)
    forged.note(['profile-left', { profile: 'example-corp' }]);
  expect((await verify()).code).toBe(0);
  const anew = await verify('--head', head);
  expect([anew.code, anew.out]).toEqual([1, expect.stringContaining('No record of a chain')]);
});

test('what a crash left is told, and is no error', async () => {
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"seq":2`);
  const ran = await verify();
  expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Its last 8 octets are no')]);
});

test('what is no head, no file and no log is refused', async () => {
  expect((await verify('--head', '12')).errors).toContain('"12" is no head');
  expect((await verify(`${folder.path}/none`)).errors).toContain('there is no such file');
  const elsewhere = testFolder();
  onTestFinished(() => elsewhere.remove());
  const ran = await runCommand(elsewhere.path, 'audit', 'verify');
  expect([ran.code, ran.errors]).toEqual([2, expect.stringContaining('there is no audit log at')]);
});

test('records are shown page by page, harmless for a terminal, and as JSON', async () => {
  const asked: unknown[] = [];
  const record = (seq: number): AuditRecord => ({
    seq,
    time: '2026-11-01T08:00:00.000Z',
    event: 'profile-refused',
    who: seq % 2 === 0 ? 1000 : null,
    fields: { by: 'update', code: 'profile-refused', why: 'bad \u202e' },
    prev: '0'.repeat(64),
  });
  const head = { records: 1500, hash: 'a'.repeat(64) };
  const home = await serve({
    'audit.list': (wanted) => {
      asked.push(wanted);
      const last = (wanted.before ?? 1501) - 1;
      const count = Math.min(wanted.limit, last);
      const records = Array.from({ length: count }, (_, index) => record(last - count + 1 + index));
      return succeed({ records, head });
    },
    'audit.head': () => succeed(head),
  });
  const shown = await runCommand(home, 'audit', '-n', '1200', '--since', '2026-01-31');
  const lines = shown.out.trimEnd().split('\n');
  expect(lines).toHaveLength(1200);
  expect(lines.at(-1)).toBe(
    '  1500  2026-11-01 08:00  1000    profile-refused  by update  code profile-refused  why bad \\u202e',
  );
  expect(lines[0]).toMatch(/^ {3}301 .* – {7}profile-refused/);
  const since = Date.UTC(2026, 0, 31);
  expect(asked).toEqual([
    { limit: 1000, since },
    { limit: 200, since, before: 501 },
  ]);
  const json = await runCommand(home, 'audit', '-n', '1', '--json');
  expect(JSON.parse(json.out)).toEqual(record(1500));
  expect((await runCommand(home, 'audit', 'head')).out).toBe(`1500:${'a'.repeat(64)}\n`);
  expect((await runCommand(home, 'audit', '--since', 'yesterday')).code).toBe(2);
});
