/** The page's word for the state of an upstream. */
import { expect, test } from 'vitest';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { standing } from './upstream-lines.tsx';

await loadLanguage('en');
await loadLanguage('de');

const { text, formats } = wordsIn('en', []);
const impostor = { code: 'certificate-name', text: '192.0.2.1:853: it is another' };
const idle = { state: 'idle', path: null, restingMs: 0, lastError: null } as const;

test.each([
  ['nothing asked yet', idle, 'standing by'],
  ['it failed', { ...idle, lastError: impostor }, 'not reachable'],
  ['it rests', { ...idle, state: 'resting', lastError: impostor, restingMs: 0 }, 'not reachable'],
  ['another address works', { ...idle, state: 'ready', path: 'dot', lastError: impostor }, 'ready'],
  ['another address worked', { ...idle, path: 'dot', lastError: impostor }, 'standing by'],
] as const)('%s', (_what, upstream, said) => {
  expect(standing(upstream, text, formats)).toBe(said);
});
