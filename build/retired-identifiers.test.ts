import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from './places.mjs';
import { expressionFor, retiredIn } from './retired-identifiers.ts';

const retired = retiredIn(`# Words
## Retired identifiers

As a whole word: \`Chase\`, \`ask.list\`, \`bad-question\`.

As a part of a longer identifier, too: \`Shelf\`, \`shelf\`, \`InClear\`, \`in_clear\`.

## Prose
\`query\`
`);

test('the two lists are read, and nothing behind them', () => {
  expect(retired).toEqual({
    whole: ['Chase', 'ask.list', 'bad-question'],
    parts: ['Shelf', 'shelf', 'InClear', 'in_clear'],
  });
});

test.each([
  'struct Chase {',
  "call('ask.list', {})",
  "fail('bad-question')",
  'the `Shelf` of tickets',
  'const ticketShelf = 1;',
  'let ticket_shelf = 1;',
  'shelfOf(network)',
  'notInClear: new Set()',
  'fn ask_in_clear_at() {',
])('%s is found', (line) => {
  expect(line).toMatch(new RegExp(expressionFor(retired)));
});

test.each([
  'class ChaseBank {',
  'task.list',
  'bad-questions',
  'shelfish',
  'bookshelf',
  'InClearance',
  'in_clearance',
  'queries in cleartext',
])('%s is not', (line) => {
  expect(line).not.toMatch(new RegExp(expressionFor(retired)));
});

test('the glossary has both lists', () => {
  const { whole, parts } = retiredIn(readFileSync(inRoot('docs/glossary.md'), 'utf8'));
  expect(whole).toContain('Upheaval');
  expect(parts).toContain('Shelf');
});
