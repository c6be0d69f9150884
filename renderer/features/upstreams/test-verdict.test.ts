import { expect, test } from 'vitest';
import type { ProbeReport } from '../../../app/contract/probing/probe-report.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { remedyFor, sayVerdict } from './test-verdict.ts';

await loadLanguage('en');
await loadLanguage('de');

const tls = {
  version: '1.3',
  cipher: '',
  group: '',
  resumed: false,
  name: 'a.example',
  pinned: false,
};
const works: ProbeReport = {
  ok: true,
  error: null,
  transport: 'dot',
  address: '192.0.2.1:853',
  ms: 40,
  roundTrips: 3,
  fastOpen: 'off',
  earlyData: null,
  steps: [
    { at: 20, step: 'query', text: '' },
    { at: 31, step: 'response', text: '' },
  ],
  tls,
  chain: [],
  response: null,
  clearPackets: 0,
};
const { text, formats } = wordsIn('en', []);

test.each([
  ['named', {}, 'G works: it proved who it is, and answered encrypted in 11.0 ms.'],
  [
    'pinned',
    { tls: { ...tls, name: null, pinned: true } },
    'G works: it proved who it is, and answered encrypted in 11.0 ms.',
  ],
  [
    'unproved',
    { tls: { ...tls, name: null } },
    'G answers encrypted in 11.0 ms, but does not prove who it is.',
  ],
  ['in cleartext', { tls: null, steps: [] }, 'G answers unencrypted in 40.0 ms.'],
  ['failed', { ok: false }, 'G does not work:'],
])('%s', (_what, changes, said) => {
  expect(sayVerdict('G', { ...works, ...changes }, text, formats)).toBe(said);
});

test.each([
  ['timed-out', 'other'],
  ['lease-missing', 'forbidden'],
  ['certificate-name', 'impostor'],
])('what is said of %s', (code, remedy) => {
  const tried = [{ address: '192.0.2.1:853', code, text: '' }];
  const error = { code: 'timed-out', message: '' };
  expect(remedyFor({ ...works, ok: false, error, tried })).toBe(remedy);
});
