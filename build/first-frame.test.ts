/** The document draws one mark before the page is there. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verdictMarks } from '../app/contract/protection/verdict-marks.ts';
import { inRoot } from './places.mjs';

test('the first frame has the mark of a service that does not reply', () => {
  const document = readFileSync(inRoot('renderer', 'index.html'), 'utf8');
  const drawn = [...document.matchAll(/<path d="([^"]+)"/g)].map(([, path]) => path);
  expect(drawn).toEqual(verdictMarks['not-responding'].map(({ d }) => d));
});
