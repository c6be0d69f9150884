import * as jsonc from 'jsonc-parser';
import { expect, test, vi } from 'vitest';
import { editSetting } from './setting-edit.ts';
import { parseSettingsText } from './settings-text.ts';

vi.mock('jsonc-parser', { spy: true });

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

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const rules = (count: number, from = 0) =>
  numbers(count, from).map((at) => ({ suffix: `n${at}.example`, to: ['192.0.2.1'] }));
const groupsOf = (count: number, name: string) =>
  Object.fromEntries(numbers(count).map((at) => [`g${at}`, { names: [`n${at}.${name}`] }]));

/** How often the whole text is read for one change. */
function readings(edit: () => string): { edited: string; readings: number } {
  vi.mocked(jsonc.parseTree).mockClear();
  vi.mocked(jsonc.modify).mockClear();
  const edited = edit();
  const counted = [jsonc.parseTree, jsonc.modify].map((read) => vi.mocked(read).mock.calls.length);
  return { edited, readings: counted.reduce((one, other) => one + other) };
}

test.each<[string, Parameters<typeof editSetting>[1], unknown, unknown]>([
  ['numbers over two words', 'rungs', ['tcp', 'udp'], numbers(6000)],
  ['numbers over as many others', 'rungs', numbers(6000), numbers(6000, 1)],
  ['rules in the opposite order', 'bypass', rules(6000), rules(6000).reverse()],
  [
    'other resolvers for each rule',
    'bypass',
    rules(3000),
    rules(3000).map((one) => ({ ...one, to: ['192.0.2.2', '192.0.2.3'] })),
  ],
  ['other names of each group', 'groups', groupsOf(3000, 'a'), groupsOf(3000, 'b')],
  ['one rule beside many', 'bypass', rules(6000), [...rules(6000), ...rules(1, 6000)]],
])(
  'a long value does not have the text read for each of its items: %s',
  (_what, key, before, after) => {
    const text = JSON.stringify({ [key]: before, strategy: 'race' });
    const changed = readings(() => editSetting(text, key, after));
    expect(JSON.parse(changed.edited)).toEqual({ [key]: after, strategy: 'race' });
    expect(changed.readings).toBeLessThan(10);
  },
);

test('in a long list, the comments of what stays are kept', () => {
  const text = `{ "bypass": [ // ours\n${rules(2000)
    .map((one) => JSON.stringify(one))
    .join(',\n')} // the last\n] }`;
  const edited = editSetting(text, 'bypass', [...rules(1999), ...rules(2, 5000)]);
  expect(value(edited)['bypass']).toHaveLength(2001);
  expect(edited).toContain('// ours');
});
