import { expect, test } from 'vitest';
import { csvText } from './csv-text.ts';

test.each([
  ['cdn.example.com', 'cdn.example.com'],
  ['', ''],
  ['127.0.0.1', '127.0.0.1'],
  ['_dmarc.example', '_dmarc.example'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ["=cmd|'/c calc'!A1", "\"'=cmd|'/c calc'!A1\""],
  ['=1+1', '"\'=1+1"'],
  ['+1', '"\'+1"'],
  ['-1', '"\'-1"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['|calc', '"\'|calc"'],
  [' =1+1', '"\' =1+1"'],
  ['\uff1d1+1', '"\'\uff1d1+1"'],
  ['\t=1+1', '\\x09=1+1'],
  ['a\r\nb', 'a\\x0d\\x0ab'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['\u001b]0;x\u0007', '\\x1b]0;x\\x07'],
  ['<img src=x>', '"<img src=x>"'],
])('%j as a cell', (text, cell) => {
  expect(csvText(text)).toBe(cell);
});
