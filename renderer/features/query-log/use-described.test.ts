/** Whose words a reason is: the engine's own are translated; a server's are not, even where they resemble each other. */
import { expect, test } from 'vitest';
import { someEvent } from '../../../app/cli/fixtures/made-up.ts';
import { wordsIn } from '../../text/use-text.ts';
import { describeEvent } from './use-described.ts';

const reason = 'the connection closed before the answer came';

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
    const event = someEvent({ outcome, extendedError, reason });
    const told = describeEvent(event, wordsIn('de', [])).filter(
      (fact) => fact.reason !== undefined,
    );
    expect(told.length).toBeGreaterThan(0);
    for (const fact of told) expect(fact).toMatchObject({ reason, saidBy });
  },
);
