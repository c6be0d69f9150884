/** Which trials are made, and in which order: each attack has its share of each policy, `refuse` four in six. Pure. */
import type { AttackName } from './attacks/attacks.ts';

export type Policy = 'refuse' | 'warn' | 'fallback';

export interface Trial {
  attack: AttackName;
  policy: Policy;
  /** how often it overwrites, and how many names are queried after each time */
  times: number;
  namesEach: number;
}

export const usual = { times: 6, namesEach: 6 } as const;

const rounds: readonly Policy[] = ['refuse', 'fallback', 'refuse', 'warn', 'refuse', 'refuse'];

/** A round has every attack once; the last one may be cut short. */
export function plan(count: number, names: readonly AttackName[]): Trial[] {
  return Array.from({ length: count }, (_, index) => ({
    attack: names[index % names.length] as AttackName,
    policy: rounds[Math.floor(index / names.length) % rounds.length] as Policy,
    ...usual,
  }));
}
