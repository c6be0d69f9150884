/** Sotto's own probes in cleartext, as a line beside the ledger. */
import type { OwnProbe } from '../../contract/protection/own-probes.ts';
import { dayAndMinute } from '../terminal/clock.ts';

const words: Readonly<Record<OwnProbe['kind'], [one: string, more: string]>> = {
  starttls: ['offer of STARTTLS', 'offers of STARTTLS'],
  'portal-names': ['name of a login probe', 'names of login probes'],
  'portal-pages': ['page of a login probe', 'pages of login probes'],
  encdns: ['box of EncDNS', 'boxes of EncDNS'],
  'portal-api': ['hello to a network’s login API', 'hellos to a network’s login API'],
};

/** `since`: unix milliseconds, when the service started. */
export function renderOwnProbes(probes: readonly OwnProbe[], since: number): string {
  const sent = probes.filter(({ count }) => count > 0);
  const when = `since the service started at ${dayAndMinute(since)}`;
  if (sent.length === 0) return `Of its own accord Sotto has sent nothing in cleartext ${when}.`;
  const said = sent.map(({ kind, count }) => `${count} ${words[kind][count === 1 ? 0 : 1]}`);
  const last = Math.max(...sent.map((probe) => probe.last ?? 0));
  return `Beside it, without a name that anybody asked for, ${when}: ${said.join(', ')}; the last at ${dayAndMinute(last)}.`;
}
