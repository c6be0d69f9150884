/** Whether this machine's clock can be right: after the program was built, and within the certificates just seen. */
import { say } from '../../contract/sentences/sentence.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { TestedUpstream } from './upstream-check.ts';

const remedy = say('set-clock-and-keep');

export function judgeClock(tested: readonly TestedUpstream[], now: number, built: number): Finding {
  if (now < built) return fail('clock', say('clock-before-built', { now }), remedy);
  const codes = tested.flatMap(({ report }) => report?.error?.code ?? []);
  const doubtful = codes.filter((code) =>
    ['certificate-expired', 'certificate-not-yet-valid'].includes(code),
  );
  const confirmed = tested.filter(({ report }) => report?.ok && report.tls !== null).length;
  if (doubtful.length > 0 && confirmed === 0)
    return warn('clock', say('clock-doubtful', { now }), remedy);
  if (confirmed === 0) return ok('clock', say('clock-possible', { now }));
  return confirmed === 1
    ? ok('clock', say('clock-confirmed', { now }))
    : ok('clock', say('clock-confirmed-often', { now, certificates: confirmed }));
}
