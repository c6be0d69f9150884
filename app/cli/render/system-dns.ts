/** `sotto system status`: which resolver the programs of this machine use, by which mechanism, and what else this system has. */
import type { SystemDnsDetails, SystemDnsStatus } from '../../contract/system/system-dns.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

export function renderSystemDns(details: SystemDnsDetails): string[] {
  const { status, found, own, helper, gate } = details;
  if (status === null) return ["This service knows no way of taking this system's DNS."];
  const { trouble, links } = status;
  return [
    `System DNS: ${saySystemDns(status)}`,
    ...(trouble === null ? [] : [`${safe(trouble.message)}.`, `→ ${safe(trouble.remedy)}`]),
    '',
    ...(links.length === 0 ? [] : [`Links        ${links.map(safe).join(', ')}`]),
    `Without us   ${own.map(safe).join(', ') || 'no resolver is known'}`,
    `Helper       ${helper === null ? 'does not answer' : `runs; can give back ${helper.held === 0 ? 'nothing: nothing is taken' : `what it took, ${helper.held} in its journal`}`}`,
    `Past us      ${sayGate(gate)}`,
    '',
    ...renderTable(
      ['mechanism', 'usable', 'why'].map((title) => ({ title })),
      found.map(({ mechanism, usable, why }) => [mechanism, usable ? 'yes' : 'no', safe(why)]),
    ),
  ];
}

/** What happens to DNS of programs that goes past us. */
function sayGate({ closed, unavailable }: SystemDnsDetails['gate']): string {
  if (closed !== null) return `rejected since ${dayAndMinute(closed.since)}`;
  if (unavailable === null) return 'not rejected now (systemDns.close)';
  return `not rejected, and can't be: ${safe(unavailable)}`;
}

/** The text after "System DNS". */
export function saySystemDns({ taken, wanted, mechanism, since, givenBackFor }: SystemDnsStatus) {
  if (taken) {
    const at = since === null ? '' : ` since ${dayAndMinute(since)}`;
    return `taken by ${mechanism}${at}, will be given back on quit.`;
  }
  if (!wanted) return 'not taken; programs ask whom they asked before.';
  switch (givenBackFor) {
    case 'off':
      return 'given back, because Sotto is off.';
    case 'no-link':
      return 'to be taken as soon as there is a network link.';
    case 'contested':
      return 'left alone, because another program keeps changing it.';
    default:
      return 'to be taken, and not taken yet.';
  }
}
