/** The sentence of each state, and of what hostile names become in it. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ProtectionState } from '../../../app/contract/protection-state.ts';
import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { followService, ServiceContext } from '../../state/service.ts';
import { openSession } from '../../state/session.ts';
import type { Language } from '../../text/catalogue.ts';
import { WordsContext, wordsIn } from '../../text/use-text.ts';
import { StateSentence } from './state-sentence.tsx';

const service = followService(openSession({ connect: () => new Promise(() => {}) }));

function drawn(protection: ProtectionState, language: Language = 'en'): string {
  const status = { protection, clear: [], health: [] } as unknown as ServiceStatus;
  return renderToStaticMarkup(
    <ServiceContext value={service}>
      <WordsContext value={wordsIn(language, [])}>
        <StateSentence status={status} />
      </WordsContext>
    </ServiceContext>,
  );
}

const since = Date.now() - 60_000;
const states: ProtectionState[] = [
  { state: 'private', upstream: 'Quad9', tls: 'TLS 1.3' },
  { state: 'starting', upstream: 'Quad9' },
  { state: 'asking', upstream: 'Quad9' },
  { state: 'exposed', since, until: null, consent: 'allowed by ada' },
  { state: 'refusing', why: 'nothing answers' },
  { state: 'portal' },
  { state: 'paused', until: null },
  { state: 'off', since },
];

test('every state has a mark of its own shape and a sentence of its own, in both languages', () => {
  const seen = (find: RegExp, language: Language) =>
    new Set(states.map((state) => find.exec(drawn(state, language))?.[1]));
  expect(seen(/<svg[^>]*>(.*?)<\/svg>/, 'en').size).toBe(states.length);
  for (const language of ['en', 'de'] as const) {
    expect(seen(/<h1>(.*?)<\/h1>/, language).size).toBe(states.length);
    expect(seen(/<\/h1><p[^>]*>(.*?)<\/p>/, language).size).toBe(states.length);
    for (const state of states) expect(drawn(state, language)).not.toMatch(/\{\w+\}/);
  }
});

test('without a connection the state is the last known, not the present one', () => {
  expect(drawn({ state: 'portal' })).toContain('<h1>Last known: Login wanted</h1>');
});

test.each([
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['good\u202elive', 'good\\u202elive'],
  ['zero\u200bwidth', 'zero\\u200bwidth'],
  ['line\nbreak\u001b[31m', 'line\\x0abreak\\x1b[31m'],
])('an upstream called %j is shown as what it is', (upstream, shown) => {
  expect(drawn({ state: 'private', upstream, tls: 'TLS 1.3' })).toContain(
    `<strong>${shown}</strong>`,
  );
  expect(drawn({ state: 'refusing', why: upstream })).toContain(shown);
  expect(drawn({ state: 'exposed', since, until: null, consent: upstream })).toContain(shown);
});
