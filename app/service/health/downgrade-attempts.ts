/**
 * Downgrade evidence about servers that used to speak TLS, as text: what was seen, when, on which network, and the reaction.
 * Pure.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { GroupStatus, UpstreamStatus } from '../../contract/status/service-status.ts';
import type { DowngradeEvidence } from '../engine/boundary.ts';

export interface AttemptFacts {
  downgradeEvidence: readonly DowngradeEvidence[];
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
export function downgradeAttempts(facts: AttemptFacts): Map<string, Said[]> {
  const here = facts.downgradeEvidence.filter(({ network }) => network === facts.network.id);
  const upstreams = new Set(here.map(({ upstream }) => upstream));
  return new Map(
    [...upstreams].map((upstream) => {
      const seen = here.filter((one) => one.upstream === upstream);
      const said = seen.map((one) => sayEvidence(one, facts));
      return [upstream, [...said, sayDone(upstream, facts)]];
    }),
  );
}

const sentenceOf = {
  'starttls-declined': 'declined-starttls',
  'tls-refused': 'refused-tls',
  reset: 'broke-off',
  'certificate-wrong': 'showed-wrong-certificate',
} as const satisfies Record<DowngradeEvidence['what'], string>;

function sayEvidence(
  evidence: DowngradeEvidence,
  { network, labelOf, writeTime }: AttemptFacts,
): Said {
  const { upstream, address, what, text, first, last, count } = evidence;
  const when =
    count === 1
      ? `at ${writeTime(first)}`
      : `${count} times from ${writeTime(first)} to ${writeTime(last)}`;
  const words = text === '' ? '' : ` (${text})`;
  return say(sentenceOf[what], {
    upstream: labelOf(upstream),
    address,
    words,
    when,
    network: network.label,
    count,
    first,
    last,
  });
}

function sayDone(upstream: string, { upstreams, groups, clear }: AttemptFacts): Said {
  const group = upstreams.find(({ id }) => id === upstream)?.group ?? '';
  switch (groups.find(({ id }) => id === group)?.state.state) {
    case 'exposed': {
      const entry = clear.find((one) => one.class === 'policy' && one.group === group);
      return say('in-cleartext-by-policy', { entry: entry?.id ?? 'unknown' });
    }
    case 'asking':
      return say('nothing-in-cleartext-asked');
    case 'refusing':
      return say('nothing-in-cleartext-refused');
    case 'private':
      return say('nothing-in-cleartext-private');
    default:
      return say('nothing-in-cleartext');
  }
}
