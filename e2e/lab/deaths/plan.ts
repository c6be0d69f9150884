/** Which deaths are tried: each of them under each policy and on each mechanism, three of five under `refuse`. */

/**
 * Deaths of one process or of both at once, faults within the service, and deaths of its parts. The gate is left out: closed, it
 * would hide every name that leaves, so it is open here, and its deaths are tried where it is closed
 * (e2e/packages/systemd.test.ts).
 */
export const deaths = [
  ...faults('exception', 'rejection', 'memory', 'abort', 'worker ends', 'worker throws'),
  { victim: 'engine', how: 'panic' },
  ...signals('service', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGKILL'),
  ...signals('guardian', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT', 'SIGKILL'),
  ...signals('both', 'SIGTERM', 'SIGINT', 'SIGKILL'),
  ...signals('reader', 'SIGTERM', 'SIGSEGV', 'SIGKILL'),
  ...signals('all', 'SIGUSR1'),
  ...signals('helper', 'SIGTERM', 'SIGSEGV', 'SIGKILL'),
] as const satisfies readonly Death[];

export interface Death {
  victim: 'inside' | 'engine' | 'service' | 'guardian' | 'both' | 'reader' | 'all' | 'helper';
  /** a signal, or a fault of faults-within.mjs */
  how: string;
}

export const policies = ['refuse', 'warn', 'fallback'] as const;
export type Policy = (typeof policies)[number];

export interface Trial {
  death: Death;
  policy: Policy;
}

/**
 * The deaths on one machine, in rounds of one policy each, so that the policy is changed seldom. A short plan has as many kinds
 * as it has trials.
 */
export function plan(count: number, offset = 0): Trial[] {
  const rounds: Policy[] = ['refuse', 'warn', 'refuse', 'fallback', 'refuse'];
  return Array.from({ length: count }, (_, index) => ({
    death: deaths[(index + offset) % deaths.length] as Death,
    policy: rounds[Math.floor((index * rounds.length) / count)] as Policy,
  }));
}

function faults(...names: string[]): Death[] {
  return names.map((how) => ({ victim: 'inside', how }));
}

function signals(victim: Death['victim'], ...names: NodeJS.Signals[]): Death[] {
  return names.map((how) => ({ victim, how }));
}
