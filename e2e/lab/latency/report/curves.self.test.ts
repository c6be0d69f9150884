import { expect, it } from 'vitest';
import type { Figure } from '../figure.ts';
import { tally } from '../tally.ts';
import { curves } from './curves.ts';

const figure = (id: string): Figure => ({
  id,
  title: 'Day & night',
  how: '',
  unit: '× UDP',
  columns: [],
  reach: [],
  measure: () => Promise.resolve({ samples: [] }),
});
const spreads = [
  { row: 'Sotto', of: 'all', values: [0.01, 1, 1, 3] },
  { row: 'stub <b>', of: 'all', values: [1, 2, 4, 1000] },
];

it('draws a curve for each program in both panels, and escapes all text', () => {
  const svg = curves([tally(figure('replayed-day'), [{ samples: [], spreads }], [])]) ?? '';
  expect(svg.match(/<polyline /g)).toHaveLength(4);
  expect(svg).not.toContain('NaN');
  expect(svg).toContain('Day &amp; night');
  expect(svg).toContain('stub &lt;b&gt;');
});

it('draws no curve where no day was replayed', () => {
  expect(curves([tally(figure('burst'), [{ samples: [], spreads }], [])])).toBeNull();
});
