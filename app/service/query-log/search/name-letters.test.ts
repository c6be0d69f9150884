import { expect, test } from 'vitest';
import { lettersOf } from './name-letters.ts';

test.each([
  ['www.xn--bcher-kva.example', 'www.bücher.example'],
  ['xn--r8jz45g.xn--zckzah', '例え.テスト'],
  ['xn--0.example', 'xn--0.example'],
  ['a\\.b.xn--bcher-kva', 'a\\.b.bücher'],
  ['www.example', 'www.example'],
  ['', ''],
])('%s is %s', (name, letters) => {
  expect(lettersOf(name)).toBe(letters);
});
