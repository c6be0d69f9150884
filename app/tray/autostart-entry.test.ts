import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { autostartFile, disable, enable, followMove, isEnabled } from './autostart-entry.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-autostart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = autostartFile({ XDG_CONFIG_HOME: join(folder, 'config') });
  return { folder, file };
}

const start = { command: process.execPath, args: ['--hidden'], environment: {} };

test('the file is where the specification says, and a relative folder does not count', () => {
  expect(autostartFile({ XDG_CONFIG_HOME: '/x' })).toBe('/x/autostart/sotto.desktop');
  expect(autostartFile({ XDG_CONFIG_HOME: 'x' })).toMatch(
    /^\/.*\/\.config\/autostart\/sotto\.desktop$/,
  );
});

test('it is turned on and off, and nothing is left behind', () => {
  const { file } = place();
  expect(isEnabled(file)).toBe(false);
  enable(file, start);
  expect(isEnabled(file)).toBe(true);
  expect(readdirSync(dirname(file))).toEqual(['sotto.desktop']);
  disable(file);
  expect([isEnabled(file), existsSync(file)]).toEqual([false, false]);
  disable(file);
});

test.each([
  ['Hidden=true', false],
  ['Hidden=false', true],
  ['X-GNOME-Autostart-enabled=false', false],
  [' Hidden = true ', false],
  ['[Other]\nHidden=true', true],
  ['# Hidden=true', true],
])('what a desktop writes into it counts: %j', (line, enabled) => {
  const { file } = place();
  enable(file, start);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^X-GNOME.*$/m, line));
  expect(isEnabled(file)).toBe(enabled);
});

test('turning it on again replaces what a desktop had turned off', () => {
  const { file } = place();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '[Desktop Entry]\nHidden=true\n');
  enable(file, start);
  expect(isEnabled(file)).toBe(true);
});

/** As a desktop does: the line is unescaped, then split into quoted words; field codes go. */
function run(file: string): string[] {
  const [, line = ''] = /^Exec=(.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const said = line.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
  const words = [...said.matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, word = '']) =>
    word.replace(/\\([\s\S])/g, '$1').replaceAll('%%', '%'),
  );
  const [program = '', ...args] = words;
  return execFileSync(program, args, { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('paths and arguments arrive as they are, whatever stands in them', () => {
  const { file, folder } = place();
  const command = join(folder, `Ann's "new" $(id) \`id\` 100% %f \\n Sotto.AppImage`);
  writeFileSync(command, '#!/bin/sh\nprintf "%s\\0" "$SOTTO_HOME" "$@"\n', { mode: 0o755 });
  const args = ['a b', '$HOME', '%u', '\\', '--hidden'];
  enable(file, { command, args, environment: { SOTTO_HOME: '/home/ann/my $DNS' } });
  expect(run(file)).toEqual(['/home/ann/my $DNS', ...args]);
});

test('a program that was moved is started from its new place, unless the person had turned it off', () => {
  const { file, folder } = place();
  const [before, after] = [join(folder, 'old\\place'), join(folder, 'new')];
  for (const path of [before, after]) writeFileSync(path, '');
  enable(file, { ...start, command: before });
  expect(followMove(file, { ...start, command: after })).toBe(false);
  rmSync(before);
  expect(followMove(file, { ...start, command: after })).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(`TryExec=${after}\n`);
  expect(followMove(file, { ...start, command: after })).toBe(false);
  enable(file, { ...start, command: before });
  writeFileSync(file, `${readFileSync(file, 'utf8')}Hidden=true\n`);
  expect(followMove(file, { ...start, command: after })).toBe(false);
  disable(file);
  expect(followMove(file, { ...start, command: after })).toBe(false);
  expect(existsSync(file)).toBe(false);
});

test('where it cannot be written, the entry of before stays', () => {
  const { file } = place();
  enable(file, start);
  const before = readFileSync(file, 'utf8');
  // in the way of the file that is written first, for root, too
  mkdirSync(join(dirname(file), '.sotto.desktop.next', 'x'), { recursive: true });
  expect(() => enable(file, { ...start, command: '/other' })).toThrow();
  expect(readFileSync(file, 'utf8')).toBe(before);
});
