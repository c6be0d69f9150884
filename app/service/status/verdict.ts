/**
 * The one verdict on this computer's queries: first whether they come to us at all, then what happens to those that do. It
 * never claims more than is known. Pure; the whole table: docs/design/verdict.md.
 */
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import type { GoesAround, Verdict } from '../../contract/protection/verdict.ts';
import type { SystemDnsStatus } from '../../contract/system/system-dns.ts';

export interface VerdictFacts {
  protection: ProtectionState;
  /** null: this service knows no mechanism of this system */
  systemDns: SystemDnsStatus | null;
  /** null: no probe was made since the system's DNS was led here */
  coverage: CoverageSeen | null;
  /** open ledger entries of rules, logins and the like */
  exceptions: number;
  /** queries came in since the service began */
  reached: boolean;
}

/** The findings of the last probe. */
export interface CoverageSeen {
  /** the queries of programs arrive here */
  programsArrive: boolean;
  around: GoesAround[];
}

export function judgeVerdict(facts: VerdictFacts): Verdict {
  const { protection, systemDns, coverage } = facts;
  if (protection.state === 'off') return { is: 'off', since: protection.since };
  if (protection.state === 'paused') return { is: 'paused', until: protection.until };
  const asked = whoIsAsked(systemDns, coverage);
  switch (asked.whom) {
    case 'others':
      return notInUse(asked.why, facts);
    case 'intruder':
      return ledAway(asked, protection, { ...facts, coverage: null });
    case 'nobody':
      return onItsWay(protection, 'link', { ...facts, coverage: null });
    case 'us':
      return onItsWay(protection, coverage === null ? 'look' : null, facts, asked.contested);
  }
}

type InTheWay = Exclude<ProtectionState, { state: 'off' | 'paused' }>;
type Of<Name extends Verdict['is']> = Extract<Verdict, { is: Name }>;

/**
 * What happens to queries that come to us. `lacks`: what is missing before they count as protected; `contested`: another program or the
 * network led them away a moment ago, and may do so again.
 */
function onItsWay(
  protection: InTheWay,
  lacks: 'link' | 'look' | null,
  facts: VerdictFacts,
  contested = false,
): Verdict {
  const { exceptions, coverage } = facts;
  const besides = { exceptions, contested, around: coverage?.around ?? [] };
  switch (protection.state) {
    case 'private': {
      const { upstream } = protection;
      if (lacks !== null) return { is: 'connecting', waitsFor: lacks, upstream, ...besides };
      if (contested || besides.around.length > 0) return { is: 'partly', upstream, ...besides };
      return { is: 'protected', upstream, exceptions };
    }
    case 'starting':
      return { is: 'connecting', waitsFor: 'upstream', upstream: protection.upstream, ...besides };
    case 'asking':
      return { is: 'choose', upstream: protection.upstream, ...besides };
    case 'portal':
      return { is: 'log-in', ...besides };
    case 'refusing':
      return { is: 'blocked', by: 'no-path', cause: protection.why, ...besides };
    case 'exposed': {
      const { since, until, consent } = protection;
      return { is: 'unencrypted', by: 'consent', since, until, consent };
    }
  }
}

/**
 * Where port 53 past us is rejected, a consent request or a login still needs a person, and their claim, that nothing is sent,
 * holds.
 */
function ledAway(
  { since, closed }: Extract<Asked, { whom: 'intruder' }>,
  protection: InTheWay,
  facts: VerdictFacts,
): Verdict {
  if (!closed) return { is: 'unencrypted', by: 'contest', since, until: null, consent: '' };
  const verdict = onItsWay(protection, null, facts);
  const stands = ['choose', 'log-in', 'unencrypted'].includes(verdict.is);
  const besides = { exceptions: facts.exceptions, contested: false, around: [] };
  return stands ? verdict : { is: 'blocked', by: 'contest', cause: '', ...besides };
}

/** Other resolvers answer this computer; a query that reaches us comes from a program that was pointed here by hand. */
function notInUse(why: Of<'not-in-use'>['why'], { protection, reached }: VerdictFacts): Verdict {
  const works = protection.state === 'private';
  const unencryptedSince = protection.state === 'exposed' ? protection.since : null;
  return { is: 'not-in-use', why, works, reached, unencryptedSince };
}

type Asked =
  /** `contested`: not for long yet, and somebody changes it from time to time without being kept from it */
  | { whom: 'us'; contested: boolean }
  | { whom: 'others'; why: Of<'not-in-use'>['why'] }
  /** no link of this machine has resolvers */
  | { whom: 'nobody' }
  /** another program led it away; `closed`: nothing gets there */
  | { whom: 'intruder'; since: number | null; closed: boolean };

function whoIsAsked(dns: SystemDnsStatus | null, coverage: CoverageSeen | null): Asked {
  if (dns === null) return { whom: 'others', why: 'no-way' };
  if (dns.taken) return whoIsAskedThen(dns, coverage);
  if (!dns.wanted) return { whom: 'others', why: 'not-wanted' };
  if (dns.contest !== null) return { whom: 'intruder', ...dns.contest };
  if (dns.givenBackFor === 'contested') return { whom: 'intruder', since: null, closed: false };
  if (dns.givenBackFor === 'no-link') return { whom: 'nobody' };
  return { whom: 'others', why: 'not-yet' };
}

/**
 * It names us at this moment. Where others change it and nothing keeps queries from them, it is believed to be ours once a
 * program's query was seen to arrive; and where they change it as often as we do, not for the moments in between.
 */
function whoIsAskedThen({ contest }: SystemDnsStatus, coverage: CoverageSeen | null): Asked {
  const isOpen = contest !== null && !contest.closed;
  const arrives = coverage?.programsArrive;
  if (isOpen && (contest.constant || arrives !== true)) return { whom: 'intruder', ...contest };
  if (arrives === false) return { whom: 'others', why: 'coverage-gap' };
  return { whom: 'us', contested: isOpen };
}
