import { expect, test } from 'vitest';
import { safe, safeJson } from '../../contract/text/visible-text.ts';
import { displayWidth, keepEnd, padEnd, padStart } from './terminal-text.ts';

test.each([
  ['plain text, with – “typography” and ünïcödé', 'plain text, with – “typography” and ünïcödé'],
  ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
  ['\u009b31m', '\\x9b31m'],
  ['\u0085next', '\\x85next'],
  ['a\r\nb\tc\0d\u007f', 'a\\x0d\\x0ab\\x09c\\x00d\\x7f'],
  ['evil\u202egnp.exe', 'evil\\u202egnp.exe'],
  ['\u2066isolate\u2069', '\\u2066isolate\\u2069'],
  ['\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
  ['zero\u200bwidth\u200d\ufeff', 'zero\\u200bwidth\\u200d\\ufeff'],
  ['soft\u00adhyphen', 'soft\\xadhyphen'],
  ['line\u2028paragraph\u2029', 'line\\u2028paragraph\\u2029'],
  ['no\u00a0break\u3000space', 'no\\xa0break\\u3000space'],
  ['blank\u3164filler\u2800', 'blank\\u3164filler\\u2800'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['half\ud800', 'half\\ud800'],
  ['private\ue000', 'private\\ue000'],
  ['unassigned\u0378', 'unassigned\\u0378'],
  ['variation\ufe0f', 'variation\\ufe0f'],
  ['\u0301stray', '\\u0301stray'],
  ['e\u0301', 'e\u0301'],
  [`z${'\u0300'.repeat(5)}!`, `z\u0300\u0300${'\\u0300'.repeat(3)}!`],
  ['漢字', '漢字'],
  ['', ''],
])('%j becomes %j', (text, harmless) => {
  expect(safe(text)).toBe(harmless);
});

test('no character whatever gets through that a terminal would obey', () => {
  const obeyed = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const harmless = safe(`a${String.fromCodePoint(code)}b`);
    if (obeyed.test(harmless)) expect.fail(`U+${code.toString(16)} gets through`);
  }
  expect(obeyed.test('\u202e')).toBe(true);
});

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['ｆｕｌｌ', 8],
  ['한글', 4],
  ['😀', 2],
  ['e\u0301', 1],
  ['\u{20000}', 2],
  ['–…', 2],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('columns align whatever is in them', () => {
  const cells = ['abc', '漢字', 'e\u0301', ''];
  expect(cells.map((cell) => displayWidth(padEnd(cell, 6)))).toEqual([6, 6, 6, 6]);
  expect(padStart('ab', 4)).toBe('  ab');
  expect(padEnd('longer', 3)).toBe('longer');
});

test('a name too long keeps its end', () => {
  expect(keepEnd('very-long.example.com', 12)).toBe('…example.com');
  expect(keepEnd('short', 12)).toBe('short');
  expect(displayWidth(keepEnd('漢字漢字漢字', 6))).toBeLessThanOrEqual(6);
});

test('JSON keeps its value and holds nothing a terminal would obey', () => {
  const value = {
    'k\u202e': ['\u001b[2J', '\u009b31m', '\u007f', '\u{e0041}', 'ünïcödé 漢字', '"\\', '\u2028'],
  };
  const text = safeJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(text).toContain('ünïcödé 漢字');
});
