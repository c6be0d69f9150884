/**
 * The short form of `npm run lab:hostile-clients`. It checks memory, and that a person gets replies; only the lab measures times.
 */
import { describe, expect, it } from 'vitest';
import { labForTest } from '../rig/lab.ts';
import type { Manner } from './hostile-clients/hostile-program.ts';
import { type Who, whyNoStrangers } from './hostile-clients/stage.ts';
import { observe, problemsOf } from './hostile-clients/trial.ts';

const reason = whyNoStrangers();
const manners: readonly [Manner, Who][] = [
  ['follow unread', 'another account'],
  ['half requests', 'another account'],
  ['ask unread', 'the same account'],
];

if (reason !== null) it('64 hostile connections', (context) => context.skip(reason));
else
  describe('64 hostile connections to the control socket', () => {
    it.each(manners)(
      'that %s as %s take little memory, and do not block the status of others',
      async (manner, who) => {
        const wish = { manner, who, connections: 64, seconds: 2 };
        const observed = await observe(await labForTest(), wish);
        expect(observed.answers.length).toBeGreaterThan(0);
        expect(problemsOf(observed, false)).toEqual([]);
      },
    );
  });
