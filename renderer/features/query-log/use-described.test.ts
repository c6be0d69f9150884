/** Whose words a reason is: the engine's own are translated; a server's are not, even where they resemble each other. */
import { expect, test } from 'vitest';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { describeEvent } from './use-described.ts';

await loadLanguage('en');
await loadLanguage('de');

const reason = 'the connection closed before the answer came';
const event = {
  ...{ upstream: '', rule: '', clear: 'none', cost: 'none', transport: 'none', rcode: 'SERVFAIL' },
  client: { protocol: 'udp', address: '127.0.0.1', port: 40_000 },
  asker: { attribution: 'unknown' },
};

test.each([
  ['failed', 23, 'engine'],
  ['refused', 22, 'engine'],
  ['stale', 3, 'engine'],
  ['local', 0, 'engine'],
  ['forwarded', 22, 'server'],
  ['cached', 22, 'server'],
  ['cached', 13, 'engine'],
  ['bypassed', 22, 'server'],
  ['portal', 22, 'server'],
] as const)(
  'the reason of a query that was %s with the extended error %i is of the %s',
  (outcome, extendedError, saidBy) => {
    const asked = { ...event, outcome, extendedError, reason } as unknown as QueryEvent;
    const told = describeEvent(asked, wordsIn('de', [])).filter(
      (fact) => fact.reason !== undefined,
    );
    expect(told.length).toBeGreaterThan(0);
    for (const fact of told) expect(fact).toMatchObject({ reason, saidBy });
  },
);

test.each([
  ['known', 'en', 'firefox'],
  ['seems', 'en', 'It seems: firefox. Over UDP nothing proves it.'],
  ['known', 'de', 'firefox'],
  ['seems', 'de', 'Anscheinend firefox. Über UDP beweist das nichts.'],
  ['not-looked-up', 'en', 'Not looked up.'],
] as const)('of a program that is %s it says in %s: %s', (attribution, language, words) => {
  const texts = { application: '', icon: '', forwards: false, unit: '', container: '', user: '' };
  const asker = { attribution, program: 'firefox', executable: '', ...texts };
  const asked = { ...event, outcome: 'local', extendedError: null, reason: '', asker };
  const told = describeEvent(asked as unknown as QueryEvent, wordsIn(language, []));
  expect(told.map((fact) => fact.words)).toContain(words);
});
