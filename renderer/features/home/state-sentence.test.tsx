/** The sentence of each verdict, and how it shows hostile names. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { verdict as schema, type Verdict } from '../../../app/contract/protection/verdict.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { followService, ServiceContext } from '../../state/service.ts';
import { openSession } from '../../state/session.ts';
import type { Language } from '../../text/catalogue.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { WordsContext, wordsIn } from '../../text/use-text.ts';
import { StateSentence } from './state-sentence.tsx';

await loadLanguage('en');
await loadLanguage('de');

const service = followService(openSession({ connect: () => new Promise(() => {}) }));

function drawn(verdict: Verdict, language: Language = 'en'): string {
  const status = { verdict, health: [] } as unknown as ServiceStatus;
  return renderToStaticMarkup(
    <ServiceContext value={service}>
      <WordsContext value={wordsIn(language, [])}>
        <StateSentence status={status} />
      </WordsContext>
    </ServiceContext>,
  );
}

const since = Date.now() - 60_000;
const besides = { exceptions: 1, contested: false, around: [] };
const unused = { is: 'not-in-use', works: true, reached: false, unencryptedSince: null } as const;
const verdicts: Verdict[] = [
  { is: 'protected', upstream: 'Quad9', exceptions: 0 },
  { ...unused, why: 'not-wanted' },
  { is: 'partly', upstream: 'Quad9', ...besides, around: [{ kind: 'browser', name: 'Chrome' }] },
  { is: 'connecting', waitsFor: 'upstream', upstream: 'Quad9', ...besides },
  { is: 'choose', upstream: 'Quad9', ...besides },
  { is: 'unencrypted', by: 'consent', since, until: null, consent: 'allowed by ada' },
  { is: 'blocked', by: 'no-path', cause: 'nothing answers', ...besides },
  { is: 'log-in', ...besides },
  { is: 'paused', until: null },
  { is: 'off', since },
];

test('every verdict has a mark of its own shape, a headline and a sentence, in both languages', () => {
  expect(verdicts.map(({ is }) => is)).toEqual(schema.options.map(({ shape }) => shape.is.value));
  const seen = (find: RegExp, language: Language) =>
    new Set(verdicts.map((verdict) => find.exec(drawn(verdict, language))?.[1]));
  expect(seen(/<svg[^>]*>(.*?)<\/svg>/, 'en').size).toBe(verdicts.length);
  for (const language of ['en', 'de'] as const) {
    expect(seen(/<h1>(.*?)<\/h1>/, language).size).toBe(verdicts.length);
    // off and paused say the same below their headlines
    expect(seen(/<\/h1><p[^>]*>(.*?)<\/p>/, language).size).toBe(verdicts.length - 1);
    for (const verdict of verdicts) expect(drawn(verdict, language)).not.toMatch(/\{\w+\}/);
  }
});

test.each([
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['good\u202elive', 'good\\u202elive'],
  ['zero\u200bwidth', 'zero\\u200bwidth'],
  ['line\nbreak\u001b[31m', 'line\\x0abreak\\x1b[31m'],
])('a name %j from outside is shown as what it is', (name, shown) => {
  const around = [{ kind: 'link' as const, name }];
  const strong = `<strong>${shown}</strong>`;
  expect(drawn({ is: 'protected', upstream: name, exceptions: 0 })).toContain(strong);
  expect(drawn({ is: 'partly', upstream: 'a', ...besides, around })).toContain(strong);
  expect(drawn({ is: 'blocked', by: 'no-path', cause: name, ...besides })).toContain(shown);
  expect(drawn({ is: 'unencrypted', by: 'consent', since, until: null, consent: name })).toContain(
    shown,
  );
});
