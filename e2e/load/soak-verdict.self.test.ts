import { expect, test } from 'vitest';
import { judge, median, type Sample, type Soak } from './soak-verdict.ts';

const sample: Sample = {
  ...{ at: 0, resident: 100, anonymous: 50, descriptors: 40, threads: 12, processor: 1 },
  ...{ cacheEntries: 9, eventsDropped: 0, logLost: 0, logRows: 9, writeAheadLog: 4 },
};

function soak(late: Partial<Sample> = {}, further: Partial<Soak['load']> = {}): Soak {
  const samples = Array.from({ length: 20 }, (_, index) => ({
    ...{ ...sample, at: index * 5 },
    ...(index >= 10 ? late : {}),
  }));
  const load = {
    ...{ seconds: 100, sent: 1000, answered: 1000, late: 0, lost: 0, duplicates: 0, strays: 0 },
    ...{ unexplained: 0, unsent: 0, rcodes: { NOERROR: 1000 }, latencyMs: null },
    ...{ senderBehindMs: 1 },
    ...further,
  };
  return { samples, load, logged: 1000 };
}

const failing = (soak: Soak) => judge(soak).flatMap(({ holds, what }) => (holds ? [] : [what]));

test('a service that stays as it is passes', () => {
  expect(failing(soak())).toEqual([]);
  expect(failing(soak({ anonymous: 52.4, resident: 95.1 }))).toEqual([]);
});

test.for<[string, Soak]>([
  ['anonymous memory is flat within 5 %', soak({ anonymous: 53 })],
  ['resident memory is flat within 5 %', soak({ resident: 94 })],
  ['descriptors do not grow', soak({ descriptors: 41 })],
  ['no query is lost', soak({}, { lost: 1 })],
  ['no query is lost', soak({}, { rcodes: { NOERROR: 999, SERVFAIL: 1 } })],
  ['no query is lost', soak({}, { duplicates: 1 })],
  ['the log is complete', soak({ eventsDropped: 1 })],
  ['the log is complete', { ...soak(), logged: 999 }],
])('%s, or the soak fails', ([what, wrong]) => {
  expect(failing(wrong)).toEqual([what]);
});

test('a single outlier does not decide', () => {
  const wrong = soak();
  for (const index of [2, 17]) wrong.samples[index] = { ...sample, anonymous: 90 };
  expect(failing(wrong)).toEqual([]);
});

test('the median of an even number lies between the middle two', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});
