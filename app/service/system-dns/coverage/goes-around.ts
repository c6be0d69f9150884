/** What the verdict needs to know of coverage: whether queries of programs arrive, and who goes around us. Pure. */

import type { GoesAround } from '../../../contract/protection/verdict.ts';
import type { SentenceCode } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { CoverageRow } from '../../../contract/system/coverage.ts';
import type { CoverageSeen } from '../../status/verdict.ts';
import { goesAround } from './activity.ts';
import { type Connection, lasts } from './connections.ts';
import type { Sender } from './sender.ts';
import type { Tally } from './tallies.ts';

const programsCoverageGap: SentenceCode = 'programs-coverage-gap';

/** Any other coverage gap is an `other`: it counts, and has no name that a person would know. */
const kinds: Partial<Record<SentenceCode, GoesAround['kind']>> = {
  'link-coverage-gap': 'link',
  'browser-by-policy': 'browser',
  'browser-by-choice': 'browser',
  'docker-leads-past': 'engine',
  'docker-unable': 'engine',
  'container-leads-past': 'container',
  'flatpaks-lead-past': 'engine',
  'virtual-network-leads-past': 'engine',
  'link-claims-local': 'link',
};

const probed: ReadonlySet<string> = new Set<SentenceCode>([
  'programs-coverage-gap',
  'nameserver-leads-past',
  'link-coverage-gap',
]);

export function kindOf(finding: Finding): GoesAround['kind'] {
  return kinds[codeOf(finding)] ?? 'other';
}

export function sourceOf(finding: Finding): CoverageRow['source'] {
  return probed.has(codeOf(finding)) ? 'probed' : 'configured';
}

export function seenBy(findings: readonly Finding[]): CoverageSeen {
  const past = findings.filter(({ verdict }) => verdict !== 'ok');
  const around = past
    .filter((finding) => codeOf(finding) !== programsCoverageGap)
    .map((finding): GoesAround => ({ kind: kindOf(finding), name: finding.subject }));
  return {
    programsArrive: past.every((finding) => codeOf(finding) !== programsCoverageGap),
    around: together(around),
  };
}

/** Those who repeat it: a stray packet is in the map alone, and so is what was rejected. */
export function aroundNow(
  tallies: readonly Tally[],
  connections: readonly Connection[],
  now: number,
): GoesAround[] {
  const counted = tallies
    .filter(({ left, activity }) => left > 0 && goesAround(activity, now))
    .map(({ sender, left: count, since }) => ({ ...named(sender), count, since }));
  const connected = connections.filter(lasts).map(({ sender }) => named(sender));
  const all = together(
    [...counted, ...connected].flatMap(({ kind, ...rest }) =>
      kind === 'computer' ? [] : [{ kind, ...rest }],
    ),
  );
  const heaviest = all.sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
  return [...heaviest.slice(0, mostNamed), ...unnamed(heaviest.slice(mostNamed))];
}

/** Any user can make as many programs as it likes; a headline has room for a few. */
const mostNamed = 8;

function unnamed(rest: readonly GoesAround[]): GoesAround[] {
  return together(rest.map((one) => ({ ...one, kind: 'other', name: '' })));
}

/** Each once: what was counted of it before what is only known to be. */
export function together(around: readonly GoesAround[]): GoesAround[] {
  const byName = new Map<string, GoesAround>();
  for (const one of around) {
    const key = `${one.kind} ${one.name}`;
    const known = byName.get(key);
    byName.set(key, known === undefined ? one : { ...one, ...known, ...sum(known, one) });
  }
  return [...byName.values()];
}

function sum(a: GoesAround, b: GoesAround): Pick<GoesAround, 'count' | 'since'> {
  if (a.count === undefined || b.count === undefined) return {};
  return { count: a.count + b.count, since: Math.min(a.since ?? 0, b.since ?? 0) };
}

function named({ kind, name }: Sender): Pick<Sender, 'kind' | 'name'> {
  return { kind, name };
}

function codeOf({ says }: Finding): SentenceCode {
  return says.text[0]?.code as SentenceCode;
}
