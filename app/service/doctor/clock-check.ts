/** Whether this machine's clock can be right: after the program was built, and within the certificates just seen. */
import { type Finding, fail, ok, warn } from './finding.ts';
import type { TestedUpstream } from './upstream-check.ts';

const remedy = "set this machine's date and time, and let it be kept by a time service";

export function judgeClock(tested: readonly TestedUpstream[], now: number, built: number): Finding {
  const shown = new Date(now).toISOString();
  if (now < built)
    return fail('clock', `The clock shows ${shown}, before this program was made.`, remedy);
  const codes = tested.flatMap(({ report }) => report?.error?.code ?? []);
  const doubtful = codes.filter((code) =>
    ['certificate-expired', 'certificate-not-yet-valid'].includes(code),
  );
  const confirmed = tested.filter(({ report }) => report?.ok && report.tls !== null).length;
  if (doubtful.length > 0 && confirmed === 0)
    return warn(
      'clock',
      `The clock shows ${shown}, and no certificate seen is valid then: it may be wrong.`,
      remedy,
    );
  if (confirmed === 0) return ok('clock', `The clock shows ${shown}, which is possible.`);
  const many = confirmed === 1 ? 'a certificate was' : `${confirmed} certificates were`;
  return ok('clock', `The clock shows ${shown}, when ${many} valid.`);
}
