import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalEvents } from '../../contract/journal.ts';
import { grants } from '../../contract/settings/profile-methods.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import { installed } from '../../installation.ts';
// biome-ignore lint/style/noRestrictedImports: every format that there is has to be told.
import { exportFormats } from '../../service/profiles/formats/exports/export-profile.ts';
// biome-ignore lint/style/noRestrictedImports: the same.
import { importFormats } from '../../service/profiles/formats/imports/import-foreign.ts';
import { manualPages } from './manual-pages.ts';
import { text } from './roff.ts';

let pages: ReadonlyMap<string, string>;
let folder: string;

beforeAll(async () => {
  pages = await manualPages();
  folder = mkdtempSync(join(tmpdir(), 'sotto-manual-'));
  for (const [name, page] of pages) writeFileSync(join(folder, name), page);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every command, option, setting and event is told', () => {
  expect(pages.get('sotto-log.1')).toContain(text('--outcome'));
  expect(pages.get('sotto-log.1')).toContain('forwarded, cached, stale');
  expect(pages.get('sotto-cache.1')).toContain(text('--suffix'));
  for (const key of settingKeys) expect(pages.get('sotto-settings.5')).toContain(`\\fB${key}\\fR`);
  for (const fact of ['notAfter', 'strict', 'serial', 'lock', 'reason'])
    expect(pages.get('sotto-profile.5')).toContain(`\\fB${fact}\\fR`);
  for (const grant of grants) expect(pages.get('sotto-profile.5')).toContain(grant);
  for (const format of [...exportFormats, ...importFormats])
    expect(pages.get('sotto-profile-formats.7')).toContain(`\\fB${text(format)}\\fR`);
  for (const [word, { fields }] of Object.entries(journalEvents))
    for (const told of [word, ...fields])
      expect(pages.get('sotto-journal.7')).toContain(text(told));
});

test('no text can be a command to the formatter', () => {
  expect(text(".TH x\n'so y\n\\*(x")).toBe('\\&.TH x\n\\(aqso y\n\\e*(x');
});

/** Pages of the programs in Rust, which have tests of their own (native/manual). */
const native = installed('docs/man');
const nativePages = readdirSync(native).map((name) => join(native, name));

const man = 'man';

/** Programs that read manual pages; each prints nothing about a correct page. */
const readers: [program: string, brings: string, args: string[], without?: RegExp][] = [
  [man, 'man-db', ['--warnings', '-E', 'UTF-8', '-l']],
  ['groff', 'groff', ['-man', '-Tutf8', '-ww', '-z']],
  // Our pages have no date, on purpose; clap_mangen writes more paragraphs than needed.
  [
    'mandoc',
    'mandoc',
    ['-Tlint', '-W', 'warning'],
    /^.*(missing date|skipping paragraph macro).*\n/gm,
  ],
];

describe.each(readers)('%s', (program, brings, args, without = /$^/g) => {
  const missing = spawnSync(program, ['--version']).error !== undefined;

  test('accepts every page', ({ skip }) => {
    if (missing) skip(`no ${program}: apt-get install ${brings}`);
    for (const file of [...[...pages.keys()].map((name) => join(folder, name)), ...nativePages]) {
      const { stdout, stderr } = spawnSync(program, [...args, file], {
        encoding: 'utf8',
      });
      const complaints = program === man ? stderr : stdout + stderr;
      expect([file, complaints.replace(without, '')]).toEqual([file, '']);
    }
  });

  test('would complain about a page that is not in order', ({ skip }) => {
    if (missing) skip(`no ${program}: apt-get install ${brings}`);
    const file = join(folder, 'broken.1');
    writeFileSync(file, '.TH BROKEN 1 "" "" ""\n.SH Name\nbroken\n.TP\n.XX\n.RE\n\\s');
    const { stdout, stderr } = spawnSync(program, [...args, file], { encoding: 'utf8' });
    rmSync(file);
    expect((program === man ? stderr : stdout + stderr).replace(without, '')).not.toBe('');
  });
});

test('man shows what was meant: options as they are typed, examples as they stand', ({ skip }) => {
  if (spawnSync(man, ['--version']).error !== undefined) skip('no man: apt-get install man-db');
  const { stdout } = spawnSync(man, ['-E', 'UTF-8', '-l', join(folder, 'sotto-log.1')], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '120', MAN_KEEP_FORMATTING: '' },
  });
  expect(stdout).toContain(
    "\n         sotto log '*.example.com' -n 500         names below example.com",
  );
  expect(stdout).toContain('\n       -n, --limit rows\n');
});
