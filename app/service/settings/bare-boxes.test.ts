import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { loadSettings } from './load-settings.ts';
import { serverKey } from './low-order-fixture.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { sayProblem } from './settings-store.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };
const dot2 = { ...dot, id: 'b' };
const boxed = {
  id: 'boxed',
  transport: 'encdns',
  zone: 'enc.example',
  key: serverKey,
  address: 'network',
};
const carried = { ...boxed, address: 'upstream:a' };

function problems(postQuantum: string, upstreams: object[]): string[] {
  folder.write('settings.json', { upstreams, connections: { postQuantum } });
  const loaded = loadSettings({
    settingsFile: join(folder.path, 'settings.json'),
    policyFolder: join(folder.path, 'policy.d'),
    catalogue: readCatalogue(),
  });
  return loaded.problems.map(sayProblem);
}

test('boxes keep no promise of post-quantum keys', () => {
  const refused = [
    expect.stringMatching(/upstreams\[1\]\.transport: EncDNS has no post-quantum .* or choose "pr/),
  ];
  expect(problems('require', [dot, boxed])).toEqual(refused);
  expect(problems('require', [dot, { ...boxed, address: '192.0.2.9' }])).toEqual(refused);
  const plain = { id: 'a', transport: 'udp', address: '192.0.2.1' };
  expect(problems('require', [plain, carried, dot2])).toEqual(refused);
});

test('TLS around them keeps it, and who prefers it may do without', () => {
  expect(problems('require', [dot, carried, dot2])).toEqual([]);
  expect(problems('prefer', [dot, boxed])).toEqual([]);
});
