import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiName } from './ascii-name.ts';

test.each([
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.Example', 'xn--bcher-kva.example'],
  ['bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['bücher.example.', 'xn--bcher-kva.example.'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['ｅｘample.org', 'example.org'],
  ['bücher.1', 'xn--bcher-kva.1'],
  ['Example.ORG', 'Example.ORG'],
  ['_dmarc.bücher.example', '_dmarc.xn--bcher-kva.example'],
])('%s is %s', (text, ascii) => {
  expect(asciiName(text)).toBe(ascii);
});

test.each([
  'bücher.example:53',
  'bücher/x',
  'ü%41',
  'a ü',
  'ü\t',
  'ü\\',
  '=ü',
  '*.ü',
  'xn--ü',
  'ü@b',
])('%j is no name', (text) => {
  expect(asciiName(text)).toBeNull();
});

test('what it says is the name that was meant, by another implementation', () => {
  const label = fc.stringMatching(/^[a-zäöüßéñøåčžаяλכあ漢]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
      const name = `${labels.join('.')}.example`;
      const ascii = asciiName(name);
      // Labels of both directions are refused (RFC 5893), by both.
      expect(ascii ?? '').toBe(domainToASCII(name));
      if (ascii !== null) expect(asciiName(domainToUnicode(ascii))).toBe(ascii);
    }),
  );
});
