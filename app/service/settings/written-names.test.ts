/** Names in settings: those that a person writes in other letters, and those of which nothing could follow. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { loadSettings } from './load-settings.ts';
import { readCatalogue } from './resolver-catalogue.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const catalogue = readCatalogue();
const corp = { suffix: 'corp.example', to: ['192.0.2.1'] };
const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };
const corpDot = { ...dot, id: 'c', group: 'corp' };

function load() {
  return loadSettings({
    settingsFile: join(folder.path, 'settings.json'),
    policyFolder: join(folder.path, 'policy.d'),
    catalogue,
  });
}

test('international names are taken wherever a person writes one', () => {
  folder.write(
    'settings.json',
    JSON.stringify({
      bypass: [{ suffix: '=Bücher.example', to: ['192.0.2.1'] }],
      upstreams: [dot, { ...corpDot, group: 'corp', name: 'dns.bücher.example' }],
      groups: { corp: { names: ['münchen.example.'] } },
      allowPrivate: ['zürich.example'],
    }),
  );
  const { effective, problems } = load();
  expect(problems).toEqual([]);
  expect(effective?.settings).toMatchObject({
    bypass: [{ suffix: '=xn--bcher-kva.example' }],
    upstreams: [{}, { name: 'dns.xn--bcher-kva.example' }],
    groups: { corp: { names: ['xn--mnchen-3ya.example.'] } },
    allowPrivate: ['xn--zrich-kva.example'],
  });
});

test.each([
  [{ bypass: [{ suffix: 'onion', to: ['192.0.2.1'], downgrade: true }] }, 'bypass[0].suffix'],
  [{ bypass: [corp, { suffix: '=a.localhost', to: ['192.0.2.1'] }] }, 'bypass[1].suffix'],
  [{ allowPrivate: ['resolver.arpa'] }, 'allowPrivate[0]'],
  [{ forwardSpecial: ['alt'] }, 'forwardSpecial[0]'],
  [{ upstreams: [dot, corpDot], groups: { corp: { names: ['x.onion'] } } }, 'groups.corp.names[0]'],
])('what can never apply is refused with its reason: %j', (settings, path) => {
  folder.write('settings.json', JSON.stringify(settings));
  const { effective, problems } = load();
  expect(effective).toBeNull();
  expect(problems).toMatchObject([
    { path, reason: expect.stringMatching(/Sotto answers these names itself/) },
  ]);
});
