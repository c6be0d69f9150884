import { expect, test } from 'vitest';
import type { CoverageFix } from '../../../contract/system/coverage-fixes.ts';
import { fixFor } from './fix-for.ts';
import { unprovedBy } from './prove-fix.ts';
import type { Files } from './read-files.ts';

const firefox = '/etc/firefox/policies/policies.json';
const managed = '/etc/chromium/policies/managed';
const chromium = `${managed}/sotto.json`;
const off = '{"DnsOverHttpsMode":"off"}';

function filesOf(content: Readonly<Record<string, string>>): Files {
  return {
    read: (file) => content[file] ?? null,
    list: (folder) => Object.keys(content).filter((file) => file.startsWith(`${folder}/`)),
  };
}

const arrivesAt = async (address: string) => address === '172.17.0.1';

test.each<[string, CoverageFix, Record<string, string>, string | null]>([
  [
    'Firefox reads it',
    'firefox',
    { [firefox]: '{"policies":{"DNSOverHTTPS":{"Enabled":false,"Locked":true}}}' },
    null,
  ],
  [
    'Firefox is told otherwise',
    'firefox',
    { [firefox]: '{"policies":{"DNSOverHTTPS":{"Enabled":true}}}' },
    firefox,
  ],
  ['people may not read the file', 'firefox', {}, firefox],
  ['the file is no JSON', 'firefox', { [firefox]: '{' }, firefox],
  ['Chromium reads it', 'chromium', { [chromium]: off }, null],
  ['Chromium has none', 'chromium', {}, chromium],
  [
    'another policy counts, too',
    'chromium',
    { [chromium]: off, [`${managed}/company.json`]: '{"DnsOverHttpsTemplates":"https://x/"}' },
    `${managed}/company.json`,
  ],
  [
    'another policy is about something else',
    'chromium',
    { [chromium]: off, [`${managed}/company.json`]: '{"HomepageLocation":"x"}' },
    null,
  ],
])('%s', async (_what, fix, content, unproved) => {
  const written = [fix === 'firefox' ? firefox : chromium];
  const proof = unprovedBy(fix, written, {
    files: filesOf(content),
    bus: async () => null,
    arrivesAt,
  });
  expect(await proof).toBe(unproved);
});

test.each([
  ['{"dns":["172.17.0.1"]}', null],
  ['{"dns":["172.17.0.1","1.1.1.1"]}', '1.1.1.1'],
  ['{"dns":[]}', '/etc/docker/daemon.json'],
  ['{', '/etc/docker/daemon.json'],
])('Docker reads %s', async (text, unproved) => {
  const file = '/etc/docker/daemon.json';
  const parts = { files: filesOf({ [file]: text }), bus: async () => null, arrivesAt };
  expect(await unprovedBy('docker', [file], parts)).toBe(unproved);
});

test.each([
  ['none', null],
  ['default', 'DnsManager.Mode'],
  [null, 'DnsManager.Mode'],
])('NetworkManager says %s', async (mode, unproved) => {
  const proof = unprovedBy('network-manager', [], {
    files: filesOf({}),
    bus: async () => mode,
    arrivesAt,
  });
  expect(await proof).toBe(unproved);
});

test.each([
  ['browser-by-choice', 'Firefox', 'firefox'],
  ['browser-by-choice', 'Brave', 'brave'],
  ['browser-by-choice', 'Netscape', null],
  ['browser-by-policy', 'Firefox', 'firefox'],
  ['browser-by-policy', 'Chrome', null],
  ['container-leads-past', 'Podman 0123', null],
  ['docker-unable', 'Docker', 'docker'],
])('%s of %s is fixed by %s', (code, subject, fix) => {
  expect(fixFor(code, subject)).toBe(fix);
});
