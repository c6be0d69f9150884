/** Why this computer was not led to us, or not led back, in words, and the one line for a terminal that helps. Pure. */
import type { Failure } from '../errors.ts';
import type { protectSentences } from '../sentences/protect.ts';
import type { SystemDnsDetails } from '../system/system-dns.ts';

export type TakingChange = 'take' | 'give-back';
type Code = keyof typeof protectSentences;
type Refusal = Extract<Code, `refused-${string}`>;

export interface RefusalSaid {
  says: Refusal;
  /** what a person with a terminal can run; null: no command helps */
  line: string | null;
  /** the failure's own text says more than the sentence */
  withReason: boolean;
}

/** `startHelper`: the service's line that starts its helper; null: the helper runs. Null: every view says such a failure alike. */
export function sayRefusal(
  { code }: Failure,
  change: TakingChange,
  startHelper: string | null,
): RefusalSaid | null {
  switch (code) {
    case 'authority-missing':
    case 'authority-unreachable':
    case 'authority-refused':
      return { says: `refused-${code}`, line: lineOf(change), withReason: false };
    case 'authority-dismissed':
    case 'authority-busy':
    case 'authority-late':
    case 'setting-locked':
      return { says: `refused-${code}`, line: null, withReason: false };
    case 'helper-missing':
      return { says: 'refused-helper-missing', line: startHelper, withReason: false };
    case 'helper-refused':
      return startHelper === null
        ? { says: 'refused-helper-refused', line: null, withReason: true }
        : { says: 'refused-helper-missing', line: startHelper, withReason: false };
    case 'no-mechanism':
      return { says: 'refused-no-mechanism', line: null, withReason: true };
    default:
      return null;
  }
}

/** The same as root, without a window. */
export function lineOf(change: TakingChange): string {
  return `sudo sotto system ${change}`;
}

/** Null where the helper runs, so that starting it would not help. */
export function startHelperOf({ helper, startHelper }: SystemDnsDetails): string | null {
  return helper === null ? startHelper : null;
}
