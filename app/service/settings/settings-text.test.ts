import { expect, test } from 'vitest';
import { parseSettingsText } from './settings-text.ts';

const reasons = (text: string) =>
  parseSettingsText('f', text).problems.map(({ line, reason }) => `${line} ${reason}`);

test.each([
  '{ "a": 1, "a": 2 }',
  '{ "x": [{ "b": "\\"", "a": 1, "b": 2 }] }',
  '{ "a:": ", \\"b\\": ", "c": { "d": 1, "d": 1 } }',
  '{ "\\u0061": 1, "a": 2 }',
  '{ "__proto__": 1, "__proto__": 2 }',
])('a key that is there twice is told: %s', (text) => {
  expect(reasons(text)).toEqual([expect.stringContaining('the key is there twice')]);
});

test.each([
  '{ "a": ["b", ": ", "c\\\\", "\\"", ":"], "d" : { "a": 1 }, "e": {} }',
  '{ "a": "x\\", \\"a\\": 1", "toJSON": 1, "n": 1e999 }',
  '[]',
  '"a:"',
])('JSON without such a key is its value: %s', (text) => {
  const { value, problems } = parseSettingsText('f', text);
  expect(problems).toEqual([]);
  expect(value).toEqual(JSON.parse(text));
});

test('a key that means something to JavaScript is one like any other', () => {
  const { value } = parseSettingsText('f', '{ "__proto__": { "a": 1 } }');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});

test('JSON and JSON with comments tell the same place of an error', () => {
  const text = '{\n "a": [\n  { "b": 1 }\n ]\n}';
  for (const given of [text, `${text} // a comment`])
    expect(parseSettingsText('f', given).problem(['a', 0, 'b'], 'wrong')).toEqual({
      file: 'f',
      path: 'a[0].b',
      line: 3,
      reason: 'wrong',
    });
});

test('what is nested too deeply is told', () => {
  expect(reasons('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toEqual([
    'null it is nested too deeply',
  ]);
});

test('many problems in a long text are each told with their line', () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `  "${at}.corp.example"`);
  const { problem } = parseSettingsText('f', `{ "a": [\n${lines.join(',\n')}\n] }`);
  const told = lines.map((_, at) => problem(['a', at], 'wrong').line);
  expect(told).toEqual(lines.map((_, at) => at + 2));
});
