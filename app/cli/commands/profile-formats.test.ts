/** Profiles as files of other programs, and back, on the command line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: what the command line offers has to be there.
import { exportFormats } from '../../service/profiles/formats/exports/export-profile.ts';
// biome-ignore lint/style/noRestrictedImports: the same.
import { importFormats } from '../../service/profiles/formats/imports/import-foreign.ts';
import { type Ran, runCommand, serve } from '../fixtures/fake-service.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-formats-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const at = (name: string) => join(folder, name);
const run = (...words: string[]): Promise<Ran> => runCommand(folder, 'profile', ...words);

function profile(name: string, settings: object): string {
  const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
  writeFileSync(at(name), JSON.stringify({ ...facts, settings }, null, 2));
  return at(name);
}

test('a profile is written for another program, and read back from its file', async () => {
  const value = [{ id: 'a', transport: 'dot', address: ['192.0.2.1:853'], name: 'a.example' }];
  const file = profile('corp.json', { upstreams: { value }, consent: { value: 'administrator' } });
  const made = await run('export', 'stubby', file);
  expect([made.code, made.errors]).toEqual([
    0,
    'consent: stubby has nothing like it, so it is left out\n',
  ]);
  writeFileSync(at('stubby.yml'), made.out);
  const back = await run('import', 'stubby', at('stubby.yml'), '--output', at('back.json'));
  expect(back.errors).toMatch(/^.*stubby\.yml:\d+: idle_timeout: left out/);
  expect((await run('lint', at('back.json'))).code).toBe(0);
  const { settings } = JSON.parse(readFileSync(at('back.json'), 'utf8'));
  expect(settings.upstreams).toEqual({
    value: [{ ...value[0], id: 'a-example' }],
    lock: 'default',
  });
  const own = await run('import', 'stubby', at('stubby.yml'), '--settings');
  expect(Object.keys(JSON.parse(own.out))).toEqual(['upstreams']);
});

test('what holds on this machine is exported, too', async () => {
  const value = [{ id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.example' }];
  const layer = {
    layer: 'user' as const,
    name: null,
    file: null,
    reason: null,
    lock: null,
    until: null,
  };
  const layers = [{ ...layer, value, inForce: true }];
  const home = await serve({
    'profile.effective': () => ({
      ok: true,
      value: { settings: [{ key: 'upstreams', layers, without: [] }] },
    }),
  });
  const { out } = await runCommand(home, 'profile', 'export', 'systemd-resolved');
  expect(out).toContain('DNS=192.0.2.1#a.example\n');
});

test.each([
  [['export', 'systemd-resolved', 'corp.json', '--allow', 'all'], /nothing that can be allowed/],
  [['export', 'stubby', 'corp.json', '--doh', 'http://x/'], /no address of DNS over HTTPS/],
  [['export', 'stubby', 'corp.json', '--certificate', 'x'], /has no signature/],
  [['export', 'mobileconfig', 'corp.json', '--certificate', 'x'], /needs both/],
  [['export', 'dnscrypt-proxy', 'corp.json'], /speaks no DNS over TLS/],
  [['export', 'windows', 'corp.json'], /Allowed choices are mobileconfig/],
  [['import', 'stubby', 'missing.yml'], /no such file/],
  [['import', 'stubby', 'corp.json'], /nothing in .* could be taken/],
  [['import', 'unbound', 'corp.json'], /line 1: expected "name: value"/],
])('%j fails with a remedy', async (words, reason) => {
  profile('corp.json', { upstreams: { value: [] } });
  const { code, out, errors } = await run(
    ...words.map((word) => (word.endsWith('.json') ? at(word) : word)),
  );
  expect([code, out, errors]).toEqual([2, '', expect.stringMatching(reason)]);
});

test('the formats of the command line are those that can be written and read', async () => {
  for (const [name, formats] of [
    ['export', exportFormats],
    ['import', importFormats],
  ] as const)
    expect((await run(name, '--help')).out.replace(/\s+/g, ' ')).toContain(
      `(choices: ${formats.map((format) => `"${format}"`).join(', ')})`,
    );
});
