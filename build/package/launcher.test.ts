/** What the menu entry starts, in real namespaces: the window, or where its sandbox is forbidden the page, with the reason. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandFlags, nodeFlags } from '../places.mjs';
import { appRun, sottoScript, windowScript } from './launcher.ts';

const namespace = ['unshare', '--user', '--map-root-user'];
/** as a system does that forbids namespaces to ordinary programs */
const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"';
const canTry = spawnSync('unshare', [...namespace.slice(1), 'sh', '-c', forbid, 'sh', 'true']);

function tree(place: string, script: string) {
  const root = mkdtempSync(join(tmpdir(), 'sotto-launcher-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o755);
  };
  write('usr/lib/sotto/electron/sotto-tray', '#!/bin/sh\necho window "$@"\n');
  write('usr/lib/sotto/electron/chrome-sandbox', '');
  write('usr/lib/sotto/bin/sotto', '#!/bin/sh\necho page "$@"\n');
  write('usr/lib/sotto/bin/node', '');
  write(place, script);
  return root;
}

const scripts: [name: string, place: string, script: string, otherwise: string[]][] = [
  ['the menu entry', 'usr/lib/sotto/bin/sotto-window', windowScript, ['page ui']],
  ['the AppImage', 'AppRun', appRun, ['page run --guarded', 'page ui --with-service']],
];

function run(root: string, place: string, before: readonly string[] = [], ...given: string[]) {
  const [command = '', ...words] = [...before, join(root, place), ...given];
  return spawnSync(command, words, { encoding: 'utf8' });
}

const restricted = [...namespace, 'sh', '-c', forbid, 'sh'];

for (const [name, place, script, otherwise] of scripts)
  test(`${name} opens the window, or says why it can't and opens the page`, (context) => {
    if (canTry.status !== 0) context.skip('no user namespaces here');
    const root = tree(place, script);
    expect(run(root, place, namespace).stdout).toBe('window\n');
    const refused = run(root, place, restricted);
    expect(refused.stdout.trim().split('\n').sort()).toEqual(otherwise);
    expect(refused.stderr).toContain('This system forbids the sandbox');
    expect(refused.stderr).toContain('install Sotto’s package');
    const atLogin = run(root, place, restricted, '--hidden').stdout.trim().split('\n');
    expect(atLogin).toEqual(name === 'the AppImage' ? ['page run --guarded'] : ['']);
    expect(run(root, place, namespace, '--hidden').stdout).toBe('window --hidden\n');
  });

test.each(scripts)('%s hands a link to the window, and not to a shell', (_, place, script) => {
  const root = tree(place, script);
  chmodSync(join(root, 'usr/lib/sotto/electron/chrome-sandbox'), 0o4755);
  const link = "sotto://enrol?source=https%3A%2F%2Fa.example%2Fp.json&ring=$(id)'; id";
  expect(run(root, place, [], link).stdout).toBe(`window ${link}\n`);
});

test.each(scripts)(
  '%s needs no namespaces where Chromium’s own helper has its rights',
  (_, place, script) => {
    const root = tree(place, script);
    chmodSync(join(root, 'usr/lib/sotto/electron/chrome-sandbox'), 0o4755);
    const asked = canTry.status === 0 ? restricted : [];
    expect(run(root, place, asked)).toMatchObject({ stdout: 'window\n', stderr: '' });
  },
);

test('without Electron there is no reason to give', () => {
  const root = tree('usr/lib/sotto/bin/sotto-window', windowScript);
  rmSync(join(root, 'usr/lib/sotto/electron'), { recursive: true });
  expect(run(root, 'usr/lib/sotto/bin/sotto-window')).toMatchObject({
    stdout: 'page ui\n',
    stderr: '',
  });
});

test.each([
  { words: ['run', '--guarded'], flags: nodeFlags },
  { words: ['ui'], flags: nodeFlags },
  { words: ['status', '--json'], flags: commandFlags },
  { words: [], flags: commandFlags },
])('sotto $words gets the flags of what stays, or of what ends', ({ words, flags }) => {
  const place = 'usr/lib/sotto/bin/sotto';
  const root = tree(place, sottoScript);
  const node = join(root, 'usr/lib/sotto/bin/node');
  writeFileSync(node, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  const said = run(root, place, [], ...words)
    .stdout.trimEnd()
    .split('\n');
  expect(said).toEqual([...flags, `${dirname(node)}/../program/cli.mjs`, ...words]);
});
