/** What happened so far, in one line. */
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';

export function summaryLine({ outcomes, upstreams, cache }: ServiceStatus): string {
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const connections = upstreams.reduce((sum, { dials }) => sum + dials, 0);
  return [
    `${total} queries: ${counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
    `${connections} connection${connections === 1 ? '' : 's'} dialled`,
    `${cache.entries} answers in the cache`,
  ].join(' · ');
}
