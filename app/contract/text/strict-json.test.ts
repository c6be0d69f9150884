import fc from 'fast-check';
import { expect, test } from 'vitest';
import { strictJson } from './strict-json.ts';

test.each([
  ['{"a":1,"a":2}'],
  ['[{"b":{"a" : 1, "x":[], "a": 1}}]'],
  ['{"a":1,"\\u0061":2}'],
  ['{"a":1,}'],
  [''],
])('%s is refused', (text) => {
  expect(strictJson(text)).toBeNull();
});

test('any other JSON is read as it is', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      if (JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value))))
        expect(strictJson(JSON.stringify(value))).toEqual({ value });
    }),
  );
});
