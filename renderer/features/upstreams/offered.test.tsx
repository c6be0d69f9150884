/** What the catalogue says of a resolver's end, and with what an entry was compared. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { WordsContext, wordsIn } from '../../text/use-text.ts';
import { Offer } from './offered.tsx';

await loadLanguage('en');
await loadLanguage('de');

const entry: CatalogueEntry = {
  id: 'old',
  label: 'Old',
  operator: 'Old, Ltd.',
  transport: 'dot',
  addresses: ['192.0.2.1'],
  names: ['dns.example'],
  filtering: 'Blocks nothing.',
  validation: null,
  logging: 'States nothing.',
  source: 'https://old.example/',
  checked: {
    on: '2026-11-24',
    by: 'others',
    against: ['https://a.example/', 'https://b.example/'],
  },
  inCleartext: 'every name',
  retired: null,
  upstream: null,
};

function drawn(changes: Partial<CatalogueEntry>): string {
  return renderToStaticMarkup(
    <WordsContext value={wordsIn('en', [])}>
      <Offer resolver={{ ...entry, ...changes }} onAdd={null} />
    </WordsContext>,
  );
}

const dayMs = 24 * 60 * 60 * 1000;
const dayFrom = (now: number) => new Date(now).toISOString().slice(0, 10);

test.each([
  ['tomorrow', dayFrom(Date.now() + dayMs), 'Its operator ends it', 'Its operator ended it'],
  [
    'two days ago',
    dayFrom(Date.now() - 2 * dayMs),
    'Its operator ended it',
    'Its operator ends it',
  ],
])('a resolver whose end is %s', (_, on, said, not) => {
  const page = drawn({ retired: { on, notice: 'https://old.example/end' } });
  expect(page).toContain(said);
  expect(page).not.toContain(not);
});

test('the pages that an entry was compared with are named', () => {
  const page = drawn({});
  expect(page).toContain('against lists of others that agree');
  for (const list of entry.checked.against) expect(page).toContain(`<code>${list}</code>`);
});
