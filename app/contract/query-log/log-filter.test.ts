import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FilterTerm, filterFields, writeLogFilter } from './log-filter.ts';
import { longestFilter, readLogFilter } from './log-filter-reading.ts';
import { filterChoices } from './log-filter-values.ts';

function read(text: string): FilterTerm[] {
  const filter = readLogFilter(text);
  if (!filter.ok) throw new Error(`${text}: ${filter.problem.message}`);
  return filter.terms.map(({ field, negated, values }) => ({ field, negated, values }));
}

function problem(text: string) {
  const filter = readLogFilter(text);
  expect(filter.ok, text).toBe(false);
  return filter.ok ? undefined : filter.problem;
}

const term = (field: FilterTerm['field'], ...texts: string[]): FilterTerm => ({
  field,
  negated: false,
  values: texts.map((text) => ({ text, regex: false })),
});

test.each<[string, FilterTerm[]]>([
  ['', []],
  ['  \t ', []],
  ['Example', [term('text', 'example')]],
  ['*.example.com.', [term('text', '*.example.com')]],
  ['a,b c', [term('text', 'a', 'b'), term('text', 'c')]],
  ['-a', [{ ...term('text', 'a'), negated: true }]],
  ['/Ad[s,] \\/x/', [{ ...term('text'), values: [{ text: 'Ad[s,] \\/x', regex: true }] }]],
  [
    'a,/b/',
    [
      {
        ...term('text'),
        values: [
          { text: 'a', regex: false },
          { text: 'b', regex: true },
        ],
      },
    ],
  ],
  ['type:aaaa,TYPE65,28', [term('type', 'AAAA', 'HTTPS', 'AAAA')]],
  ['type:type65280', [term('type', 'TYPE65280')]],
  ['Outcome:Failed', [term('outcome', 'failed')]],
  ['-clear:none', [{ ...term('clear', 'none'), negated: true }]],
  ['rcode:nxdomain,RCODE3', [term('rcode', 'NXDOMAIN', 'NXDOMAIN')]],
  ['slower:1.5S', [term('slower', '1.5s')]],
  ['since:2026-01-31t14:58z', [term('since', '2026-01-31T14:58Z')]],
  ['upstream:10.0.0.1:53', [term('upstream', '10.0.0.1:53')]],
  ['client:::1', [term('client', '::1')]],
  ['client:0:0::1,::ffff:192.0.2.1', [term('client', '::1', '192.0.2.1')]],
  ['client:127.5.0.9/8,2001:DB8::1/32', [term('client', '127.0.0.0/8', '2001:db8::/32')]],
  ['client:fe80::1%v0', [term('client', 'fe80::1')]],
  ['upstream:10.0.0.1,[2001:DB8::1]', [term('upstream', '10.0.0.1:*', '[2001:db8::1]:*')]],
  ['upstream:2001:DB8::*', [term('upstream', '[2001:db8::*]:*')]],
  ['upstream:[2001:db8::*', [term('upstream', '[2001:db8::*')]],
  ['upstream:fe80::1', [term('upstream', '[fe80::1%*]:*')]],
  ['upstream:fe80::1%v0', [term('upstream', '[fe80::1%v0]:*')]],
  ['upstream:[FE80::1%V0]:5353', [term('upstream', '[fe80::1%v0]:5353')]],
  ['upstream:[fe80::1%3]:5353', [term('upstream', '[fe80::1%*]:5353')]],
  ['container:0123456789abc', [term('container', '0123456789ab')]],
  ['container:containerd://0123456789ABcdef', [term('container', '0123456789ab')]],
  ['container:0123456789ab', [term('container', '0123456789ab')]],
  ['container:web', [term('container', 'web')]],
  ['name:"my printer.local"', [term('name', 'my\\032printer.local')]],
  ['"my\\ printer"', [term('text', 'my\\032printer')]],
  ['my\\032printer', [term('text', 'my\\032printer')]],
  ['program:"GNU Image Editor"', [term('program', 'gnu image editor')]],
  ['name:Bücher.Example.', [term('name', 'xn--bcher-kva.example')]],
  ['name:*.BÜCHER.example', [term('name', '*.bücher.example')]],
  ['BU\u0308CH', [term('text', 'büch')]],
  [
    'rule:=bücher.example,*.bücher.example',
    [term('rule', '=xn--bcher-kva.example', '*.xn--bcher-kva.example')],
  ],
  ['rule:10.1.2.3/8', [term('rule', '10.0.0.0/8')]],
  [`container:${'0123456789ab'.repeat(5)}cdef`, [term('container', '0123456789ab')]],
  ['rule:""', [term('rule', '')]],
  ['"a b","c\\"d\\\\"', [term('text', 'a\\032b', 'c"d\\')]],
  ['"a:b"', [term('text', 'a:b')]],
  ['a\\.b', [term('text', 'a\\.b')]],
  ['a**b', [term('text', 'a*b')]],
  ["'); drop", [term('text', "');"), term('text', 'drop')]],
])('%s is read', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test('terms know where they stand', () => {
  const filter = readLogFilter(' a  -type:A,MX ');
  expect(filter.ok && filter.terms.map(({ from, to }) => [from, to])).toEqual([
    [1, 2],
    [4, 14],
  ]);
});

test.each([
  ['a tpye:A', 'tpye:A', 2, /no field "tpye"/, /type:, outcome:/],
  ['type:AAAAA', 'AAAAA', 5, /"AAAAA" is no record type/, /HTTPS/],
  ['outcome:fialed', 'fialed', 8, /no outcome/, /refused, failed/],
  ['outcome:', '', 8, /no value/, /after "outcome:"/],
  ['a,', '', 2, /a word is missing/, /remove the sign/],
  ['-', '', 1, /a word is missing/, /remove/],
  ['"a', '"a', 0, /not closed/, /"/],
  ['/a', '/a', 0, /not closed/, /\\\//],
  ['//', '//', 0, /empty or not closed/, /\//],
  ['/a/b', '/a/b', 0, /right behind the slashes/, /space/],
  ['"a"b', '"a"b', 0, /right behind the quotes/, /space/],
  ['slower:fast', 'fast', 7, /not a duration/, /100ms/],
  ['slower:1s,2s', 'slower:1s,2s', 0, /takes one value/, /leave one/],
  ['since:yesterday', 'yesterday', 6, /neither a duration nor a time/, /7d/],
  ['since:2026-02-30', '2026-02-30', 6, /neither/, /2026-01-31/],
  ['until:2026-04-31T10:00Z', '2026-04-31T10:00Z', 6, /neither/, /2026-01-31/],
  ['client:127.0.0.1:53', '127.0.0.1:53', 7, /neither an address nor a prefix/, /without a port/],
  ['client:127.0.0.0/33', '127.0.0.0/33', 7, /neither/, /192.0.2.0/],
  ['client:localhost', 'localhost', 7, /neither/, /192.0.2.0/],
  ['client:127.0.0.1/*', '127.0.0.1/*', 7, /neither/, /192.0.2.0/],
  ['upstream:tls://quad9', 'tls://quad9', 9, /neither the id/, /quad9/],
  ['name:ü_@.example', 'ü_@.example', 5, /no domain name/, /name:/],
  ['rule:b*ü.example', 'b*ü.example', 5, /star beside/, /whole labels/],
  ['name:http://a.example/', 'http://a.example/', 5, /no domain name/, /name:/],
  ['name:http://a.example', 'http://a.example', 5, /address of the web/, /only the name/],
  ['"http://a.example"', '"http://a.example"', 0, /address of the web/, /only the name/],
  ['name:.example', '.example', 5, /no domain name/, /name:/],
  ['name:a..example', 'a..example', 5, /no domain name/, /name:/],
  ['program:/usr/bin/dig', '/usr/bin/dig', 8, /is a path/, /executable:\/usr\/bin\/dig/],
  ['program:sshd.service', 'sshd.service', 8, /unit of systemd/, /unit:sshd.service/],
  ['program:"ann · session-3"', '"ann · session-3"', 8, /a session/, /user:/],
  ['unit:sshd.servce', 'sshd.servce', 5, /no unit/, /sshd\*/],
  ['unit:dbus.socket', 'dbus.socket', 5, /no unit/, /sshd\*/],
  ['unit:sshd', 'sshd', 5, /no unit/, /sshd\*/],
  ['executable:dig', 'dig', 11, /no path/, /\*\/dig/],
  ['since:2026-13-31', '2026-13-31', 6, /neither/, /2026-01-31/],
  ['*a*a*a*a*a*a*a*a*a', '*a*a*a*a*a*a*a*a*a', 0, /more than 8 stars/, /regex/],
  ['""', '""', 0, /a name is missing/, /quotes/],
])('%s is refused by its word, with a remedy', (text, word, from, message, remedy) => {
  const found = problem(text);

  expect(found).toMatchObject({ word, from });
  expect(found?.message).toMatch(message);
  expect(found?.remedy).toMatch(remedy);
  expect(text.slice(found?.from, found?.to)).toBe(word);
});

test('a filter has an end', () => {
  expect(problem('a '.repeat(33))?.message).toMatch(/more than 32 words/);
  expect(problem(Array(65).fill('a').join())?.message).toMatch(/more than 64 values/);
  expect(problem('a'.repeat(longestFilter + 1))?.message).toMatch(/too long/);
});

const hostileText = fc
  .string({
    unit: fc.constantFrom(...'abcXY.-_\\"\'/,:;%[](){}?\u202e\u0007\u00a0 é🦊=@'),
    minLength: 1,
    maxLength: 12,
  })
  // Each of these is refused where it stands for a name.
  .filter((text) => text !== '.' && !text.includes('://'));

const anyTerm: fc.Arbitrary<FilterTerm> = fc.constantFrom(...filterFields).chain((field) =>
  fc.record({
    field: fc.constant(field),
    negated: fc.boolean(),
    values: fc.array(anyValue(field), {
      minLength: 1,
      maxLength: ['slower', 'since', 'until'].includes(field) ? 1 : 3,
    }),
  }),
);

function anyValue(field: FilterTerm['field']): fc.Arbitrary<FilterTerm['values'][number]> {
  const expression = fc
    .constantFrom('^ads?\\d+', 'a b,c', '\\/', '[^"]:')
    .map((text) => ({ text, regex: true }));
  const plain = textOf(field).map((text) => ({ text, regex: false }));
  return field === 'text' ? fc.oneof(plain, expression) : plain;
}

function textOf(field: FilterTerm['field']): fc.Arbitrary<string> {
  const choices = filterChoices[field];
  if (choices !== undefined) return fc.constantFrom(...choices);
  switch (field) {
    case 'type':
      return fc.constantFrom('A', 'HTTPS', 'TYPE65280');
    case 'rcode':
      return fc.constantFrom('NOERROR', 'RCODE15');
    case 'slower':
      return fc.constantFrom('100ms', '1.5s');
    case 'since':
    case 'until':
      return fc.constantFrom('1h30m', '2026-01-31', '2026-01-31T14:58:03.412Z');
    case 'name':
      return fc.constantFrom('a.example', '*.example', 'xn--bcher-kva.example', 'a[b', '*é');
    case 'client':
      return fc.constantFrom('::1', '127.0.0.1', '10.0.0.0/8', '2001:db8::/32', '192.0.2.*', '');
    case 'upstream':
      return fc.constantFrom('quad9', '192.0.2.53:53', '[2001:db8::53]:*', '*', '');
    case 'rule':
      return fc.constantFrom('corp.example', '=www.example', '10.0.0.0/8', '*', 'a when user b');
    case 'unit':
      return fc.constantFrom('sshd.service', 'a*', '');
    case 'program':
      return fc.constantFrom('firefox', 'my program', 'fire*', '');
    case 'executable':
      return fc.constantFrom('/usr/bin/dig', '*/dig', '');
    default:
      return hostileText;
  }
}

test('text and chips are the same thing seen twice', () => {
  fc.assert(
    fc.property(fc.array(anyTerm, { maxLength: 6 }), (terms) => {
      // What a person typed is normalised when it is read; from then on it does not change.
      const plain = read(writeLogFilter(terms));
      expect(plain).toHaveLength(terms.length);
      expect(plain.map(({ field, negated }) => [field, negated])).toEqual(
        terms.map(({ field, negated }) => [field, negated]),
      );
      expect(read(writeLogFilter(plain))).toEqual(plain);
      expect(writeLogFilter(read(writeLogFilter(plain)))).toBe(writeLogFilter(plain));
    }),
    { numRuns: 2000 },
  );
});

test('any text is read or refused with a word of it, never more', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'atype:-,"/\\ .*é1sincfromru'), maxLength: 40 }),
      (text) => {
        const filter = readLogFilter(text);
        if (filter.ok) expect(read(writeLogFilter(filter.terms))).toEqual(read(text));
        else expect(text.slice(filter.problem.from, filter.problem.to)).toBe(filter.problem.word);
      },
    ),
    { numRuns: 5000 },
  );
});
