/** What happens to this computer's queries while the service does not answer, from what it said last. Pure. */
import type { Failure } from '../../../app/contract/errors.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';

/** `unknown`: the guardian may still hold the address, or have given DNS back. */
export type Silence = 'blocked' | 'unencrypted' | 'unknown';

export function silenceOf({
  systemDns,
  groups,
}: Pick<ServiceStatus, 'systemDns' | 'groups'>): Silence {
  if (systemDns === null || !systemDns.taken) return 'unencrypted';
  return groups.find(({ id }) => id === '')?.policy === 'refuse' ? 'blocked' : 'unknown';
}

/** The command that the failure names; null: it names none. */
export function commandToStart({ remedy }: Pick<Failure, 'remedy'>): string | null {
  return /^start it(?: again)?(?: with)?: (.+)$/.exec(remedy)?.[1] ?? null;
}
