import { expect, test } from 'vitest';
import { editSetting } from './setting-edit.ts';
import { parseSettingsText } from './settings-text.ts';

const file = `// how this machine asks
{
  "upstreams": [
    // at home
    { "id": "a", "transport": "dot", "address": "192.0.2.1" /* the fast one */ },
    { "id": "b", "transport": "dot", "address": "192.0.2.2" },
    { "id": "c", "transport": "tdns", "address": "192.0.2.3" } // far away
  ],
  // keep it small
  "cache": { "entries": 7 }
}
`;
const value = (text: string) => parseSettingsText('f', text).value as Record<string, never>;
const [a, b, c] = value(file)['upstreams'] as unknown as object[];

test.each([
  ['cache.entries', 9, file.replace('7', '9')],
  ['cache.entries', 7, file],
  ['strategy', 'race', file.replace('7 }\n', '7 },\n  "strategy": "race"\n')],
  ['cache.serveStale', true, file.replace('7 }', '7, "serveStale": true }')],
] as const)('%s becomes %j and nothing else changes', (key, wanted, text) => {
  expect(editSetting(file, key, wanted).replace(/\s+/g, ' ')).toBe(text.replace(/\s+/g, ' '));
});

test.each([
  ['in another order', [c, a, b]],
  ['without one', [a, c]],
  ['with one more at the end', [a, b, c, { id: 'd', transport: 'dot', address: '192.0.2.4' }]],
  [
    'with one more at the beginning',
    [{ id: 'd', transport: 'dot', address: '192.0.2.4' }, a, b, c],
  ],
  ['with one changed', [a, { ...b, address: '192.0.2.9' }, c]],
  ['changed, moved and added at once', [{ id: 'd' }, { ...c, address: 'x' }, a]],
  ['empty', []],
])('upstreams %s', (_what, wanted) => {
  const edited = editSetting(file, 'upstreams', wanted);
  expect(value(edited)).toEqual({ ...value(file), upstreams: wanted });
  expect(parseSettingsText('f', edited).problems).toEqual([]);
  expect(edited).toContain('// how this machine asks');
  expect(edited).toContain('// keep it small');
  if (wanted.includes(a as never)) expect(edited).toContain('/* the fast one */');
});

test.each([
  ['{"bypass":[],"listen":["a","b","c"]}', ['a', 'b'], '{"bypass":[],"listen":["a","b"]}'],
  ['{"listen":["a","b","c"]}', ['a'], '{"listen":["a"]}'],
  ['{ "listen": [ "a", "b" ] }', ['a'], '{ "listen": [ "a" ] }'],
])('the last item of a list on one line goes by itself: %s becomes %j', (text, left, expected) => {
  expect(editSetting(text, 'listen', left)).toBe(expected);
});

test('what is not there is written, and what is taken away leaves no empty object', () => {
  expect(value(editSetting(null, 'cache.entries', 5))).toEqual({ cache: { entries: 5 } });
  expect(value(editSetting(file, 'cache.entries', undefined))).not.toHaveProperty('cache');
  expect(
    editSetting('{ "cache": { "entries": 1 // mine\n } }', 'cache.entries', undefined),
  ).toContain('"cache"');
  expect(value(editSetting('{}', 'strategy', undefined))).toEqual({});
});

test('a mark at the beginning, tabs and line ends stay as they are', () => {
  const text = '\uFEFF{\r\n\t"cache": {\r\n\t\t"entries": 1\r\n\t}\r\n}\r\n';
  expect(editSetting(text, 'strategy', 'race')).toBe(
    '\uFEFF{\r\n\t"cache": {\r\n\t\t"entries": 1\r\n\t},\r\n\t"strategy": "race"\r\n}\r\n',
  );
});

test('items that can’t be told apart are written anew', () => {
  const text = '{ "listen": ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:1"] }';
  const wanted = ['127.0.0.1:2', '127.0.0.1:1', '127.0.0.1:1'];
  expect(value(editSetting(text, 'listen', wanted))).toEqual({ listen: wanted });
});
