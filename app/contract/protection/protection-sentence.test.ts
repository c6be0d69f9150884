import { expect, test } from 'vitest';
import { protectionSentence } from './protection-sentence.ts';
import { type ProtectionState, protectionState } from './protection-state.ts';

const cases: [ProtectionState, string][] = [
  [{ state: 'off', since: 0 }, 'Off – unencrypted. The system asks its own resolvers.'],
  [{ state: 'starting', upstream: 'quad9' }, 'Connecting to quad9 …'],
  [
    { state: 'private', upstream: 'quad9', tls: 'TLS 1.3' },
    'Your queries go to quad9 over TLS 1.3.',
  ],
  [
    { state: 'asking', upstream: 'quad9' },
    "quad9 can't be reached privately here. Nothing is sent until you decide.",
  ],
  [
    { state: 'exposed', since: 1, until: 2, consent: 'you allowed it' },
    'Queries leave in cleartext since 1 (you allowed it, until 2).',
  ],
  [
    { state: 'exposed', since: 1, until: null, consent: 'your settings' },
    'Queries leave in cleartext since 1 (your settings).',
  ],
  [
    { state: 'refusing', why: 'quad9: refused.' },
    'No private path: queries are refused. quad9: refused.',
  ],
  [{ state: 'portal' }, 'This network wants you to log in. DNS stays private meanwhile.'],
  [{ state: 'paused', until: 7 }, 'Paused until 7 – unencrypted.'],
  [{ state: 'paused', until: null }, 'Paused until Sotto starts again – unencrypted.'],
];

test.each(cases)('%j has its sentence', (protection, sentence) => {
  expect(protectionSentence(protection, String)).toBe(sentence);
});

test('every state has a sentence', () => {
  const states = protectionState.options.map((option) => option.shape.state.value);
  expect(new Set(cases.map(([protection]) => protection.state))).toEqual(new Set(states));
});
