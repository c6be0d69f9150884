import { expect, test } from 'vitest';
import { failsAsTold, isAsTold, toldCommands } from './told-commands.ts';

const document = `# A page

\`\`\`sh
one
\`\`\`
\`\`\`text
sotto: no
\`\`\`

\`\`\`console
$ never
\`\`\`
\`\`\`sh
# on a and b
two
\`\`\`

\`\`\`text
an example that nobody prints
\`\`\`
`;

test('blocks are found with their machines and with what they print', () => {
  const [one, two, ...more] = toldCommands(document);
  expect(more).toEqual([]);
  expect(one).toEqual({ on: [], script: 'one\n', prints: 'sotto: no\n', line: 3 });
  expect(two).toEqual({ on: ['a', 'b'], script: '# on a and b\ntwo\n', prints: null, line: 13 });
  expect([one, two].map((told) => told !== undefined && failsAsTold(told))).toEqual([true, false]);
});

test.each([
  ['a\nb\n', 'a\nb\n', true],
  ['a\nb\n', 'a\n', false],
  ['a\n', 'a\nb\n', false],
  ['a\nx\ny\nb\n', 'a\n…\nb\n', true],
  ['a\nb\n', 'a\n…\nb\n', true],
  ['a\nx\n', 'a\n…\nb\n', false],
  ['key 1234 there\n', 'key … there\n', true],
  ['key 1234\n', 'key … there\n', false],
  ['a.c\n', 'a.c\n', true],
  ['abc\n', 'a.c\n', false],
  ['one\rtwo\nb\n', '…\nb\n', true],
])('%j printed, %j told: %j', (printed, told, expected) => {
  expect(isAsTold(printed, told)).toBe(expected);
});
