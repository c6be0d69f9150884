import { expect, test } from 'vitest';
import { readLines, readNumber, readText } from './typed-value.ts';

const lines = { is: 'lines', keyword: null, numbers: false, mayBeEmpty: true } as const;

test.each([
  [' 127.0.0.1:53 \n\n[::1]:53', ['127.0.0.1:53', '[::1]:53']],
  ['', []],
  ['1001', ['1001']],
])('lines typed as %j', (typed, items) => {
  expect(readLines(lines, typed)).toEqual(items);
});

test('an account may be a number', () => {
  expect(readLines({ ...lines, numbers: true }, 'backup\n1001')).toEqual(['backup', 1001]);
});

test('nonsense is passed on as it was typed, and not guessed at', () => {
  expect(readNumber('14')).toBe(14);
  expect(readNumber('')).toBe('');
  expect(readNumber('soon')).toBe('soon');
  for (const slip of ['0x10', '1e3', 'Infinity', '1_000', '1,5', '9'.repeat(20)])
    expect(readNumber(slip)).toBe(slip);
});

test('text is read as the file is written', () => {
  expect(readText('{ "a": [1, true, null, "b\\"c"] }')).toEqual({
    ok: true,
    value: { a: [1, true, null, 'b"c'] },
  });
});

test('a key that is there twice is refused', () => {
  expect(readText('{ "a": 1, "b": [{ "c": 1, "c": 2 }] }')).toEqual({ ok: false, twice: true });
});

test.each([
  ['', 1, ''],
  ['{\n  "a": 1\n  "b": 2\n}', 3, '"b": 2'],
  ['{\n  "a": 1,\n}', 3, '}'],
  ['[1,\n 2', 2, ''],
  ['{ "a" 1 }', 1, '1 }'],
  ['{ a: 1 }', 1, 'a: 1 }'],
  ['[1]\n]', 2, ']'],
  ['["one\n"]', 1, '"one'],
  ['[1 : 2]', 1, ': 2]'],
  ['{ 1: 2 }', 1, '1: 2 }'],
  ['[}', 1, '}'],
])('%j stops being a value at line %i, near %j', (typed, line, near) => {
  expect(readText(typed)).toEqual({ ok: false, twice: false, line, near });
});
