/** The short form of `npm run lab:strategies`. */
import { beforeAll, expect, it } from 'vitest';
import { describeInLab } from '../rig/available.ts';
import { fastest } from './strategies/fastest.ts';
import { ordered } from './strategies/ordered.ts';
import { race } from './strategies/race.ts';
import { spread } from './strategies/spread.ts';
import { type Observed, observe, problemsOf } from './strategies/trial.ts';

const promises = [
  { trial: ordered, keeps: 'queries the first that works' },
  { trial: fastest, keeps: 'queries the one that responds soonest, and notices when that changes' },
  { trial: race, keeps: 'queries two living ones, and uses the first response' },
  { trial: spread, keeps: 'keeps each domain with one operator, and only its death moves it' },
];

describeInLab(['sotto', 'sotto-server', 'dig'], 'a strategy', () => {
  const observed = new Map<string, Promise<Observed>>();
  beforeAll(() => {
    for (const { trial } of promises) observed.set(trial.strategy, observe(trial, false));
    for (const running of observed.values()) running.catch(() => {});
  });

  for (const { trial, keeps } of promises) {
    it(`${trial.strategy} ${keeps}`, async () => {
      const one = (await observed.get(trial.strategy)) as Observed;
      expect(problemsOf(one)).toEqual([]);
      const tried = one.situations.map(({ heard }) => heard.situation);
      expect(tried).toContain('all sound');
    });
  }
});
