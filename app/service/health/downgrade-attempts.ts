/** What servers did that used to speak TLS, in words: what was seen, when, on which network, and what was done. Pure. */
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import type { GroupStatus, UpstreamStatus } from '../../contract/service-status.ts';
import type { Sighting } from '../engine/engine-status.ts';

export interface AttemptFacts {
  sightings: readonly Sighting[];
  upstreams: readonly Pick<UpstreamStatus, 'id' | 'group'>[];
  groups: readonly Pick<GroupStatus, 'id' | 'state'>[];
  /** open ledger entries */
  clear: readonly Pick<LedgerEntry, 'id' | 'class' | 'group'>[];
  /** the network we are on: what was seen elsewhere was dealt with there */
  network: { id: string; label: string };
  labelOf(upstreamId: string): string;
  writeTime(unixMilliseconds: number): string;
}

/** By upstream. */
export function downgradeAttempts(facts: AttemptFacts): Map<string, string> {
  const here = facts.sightings.filter(({ network }) => network === facts.network.id);
  const upstreams = new Set(here.map(({ upstream }) => upstream));
  return new Map(
    [...upstreams].map((upstream) => {
      const seen = here.filter((one) => one.upstream === upstream);
      const said = seen.map((one) => saySighting(one, facts));
      return [upstream, `${said.join(' ')} ${sayDone(upstream, facts)}`];
    }),
  );
}

const whatWords: Record<Sighting['what'], string> = {
  'starttls-declined': 'declined STARTTLS',
  'tls-refused': 'refused TLS',
  reset: 'broke the connection off',
  'certificate-wrong': 'showed a certificate that is not its own',
};

function saySighting(sighting: Sighting, { network, labelOf, writeTime }: AttemptFacts): string {
  const { upstream, address, what, text, first, last, count } = sighting;
  const when =
    count === 1
      ? `at ${writeTime(first)}`
      : `${count} times from ${writeTime(first)} to ${writeTime(last)}`;
  const words = text === '' ? '' : ` (${text})`;
  return `${labelOf(upstream)} (${address}) ${whatWords[what]}${words} ${when} on ${network.label}.`;
}

function sayDone(upstream: string, { upstreams, groups, clear }: AttemptFacts): string {
  const group = upstreams.find(({ id }) => id === upstream)?.group ?? '';
  switch (groups.find(({ id }) => id === group)?.state.state) {
    case 'exposed': {
      const entry = clear.find((one) => one.class === 'policy' && one.group === group);
      return `Questions leave in clear, as policy allows: ledger entry ${entry?.id ?? 'unknown'}.`;
    }
    case 'asking':
      return 'Nothing was sent in clear; you are asked.';
    case 'refusing':
      return 'Nothing was sent in clear; questions are refused.';
    case 'private':
      return 'Nothing was sent in clear; another private path is used.';
    default:
      return 'Nothing was sent in clear.';
  }
}
