/**
 * Which deaths are tried: first one at every step of the helper, in both directions; then deaths of any process at random
 * moments.
 */

export interface Trial {
  /** `pair`: service and guardian at once; `all`: the helper as well */
  victim: 'service' | 'guardian' | 'helper' | 'pair' | 'all';
  /** what was under way at the death; `rest`: nothing, DNS was taken */
  during: 'take' | 'give-back' | 'quit' | 'rest';
  policy: 'refuse' | 'warn' | 'fallback';
  /** false: the service can't be started again */
  serviceStarts: boolean;
  /** milliseconds after that began, or the number of steps that the helper had done by then */
  at: { afterMs: number } | { step: number };
}

/** Steps are calls on the bus and writes of the journal; a step beyond the last one is a death after the end. */
const stepsOfTaking = 20;
const stepsOfGivingBack = 12;
const longestDelayMs = 400;

const policies = ['refuse', 'warn', 'fallback'] as const;

/** `random` gives numbers from 0 to 1. */
export function plan(count: number, random: () => number): Trial[] {
  const steps = [
    ...stepTrials('take', stepsOfTaking),
    ...stepTrials('give-back', stepsOfGivingBack),
  ];
  const cases = randomCases();
  const rest = Array.from({ length: count }, (_, index): Trial => {
    const each = cases[index % cases.length] as Omit<Trial, 'at'>;
    return { ...each, at: { afterMs: Math.round(random() * longestDelayMs) } };
  });
  // A short plan has some deaths of both kinds.
  const everyNth = Math.max(1, Math.ceil(steps.length / (count / 2)));
  const chosen = steps.filter((_, index) => index % everyNth === 0);
  return [...chosen, ...rest].slice(0, count);
}

function stepTrials(during: 'take' | 'give-back', steps: number): Trial[] {
  return Array.from({ length: steps }, (_, index) => ({
    victim: 'helper',
    during,
    policy: 'refuse',
    serviceStarts: true,
    at: { step: index + 1 },
  }));
}

function randomCases(): Omit<Trial, 'at'>[] {
  const gone = policies.flatMap((policy) =>
    (['rest', 'take'] as const).map((during) => ({
      victim: 'service' as const,
      during,
      policy,
      serviceStarts: false,
    })),
  );
  const back = (['service', 'helper', 'guardian'] as const).flatMap((victim) =>
    (['take', 'give-back', 'rest'] as const).map((during) => ({
      victim,
      during,
      policy: 'refuse' as const,
      serviceStarts: true,
    })),
  );
  const orphaned = policies.flatMap((policy) =>
    (['pair', 'all'] as const).flatMap((victim) =>
      (['rest', 'take'] as const).map((during) => ({
        victim,
        during,
        policy,
        serviceStarts: false,
      })),
    ),
  );
  const quit = { victim: 'helper', during: 'quit', policy: 'warn', serviceStarts: true } as const;
  // Deaths that differ most stand beside each other, so that a short run has all kinds.
  return [...gone, ...orphaned, ...back, quit].sort((a, b) => order(a) - order(b));
}

function order({ victim, during, policy }: Omit<Trial, 'at'>): number {
  const words = `${during} ${policy} ${victim}`;
  return [...words].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 7);
}
