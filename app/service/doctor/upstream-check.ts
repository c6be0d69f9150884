/** Each upstream over a fresh connection: reached, authenticated, asked. */

import { sayDuration, sayMilliseconds } from '../../contract/duration.ts';
import type { ProbeReport } from '../../contract/probe-report.ts';
import type { ServiceStatus } from '../../contract/service-status.ts';
import type { Caller } from './examine-service.ts';
import { curable, type Finding, fail, ok, warn } from './finding.ts';

export interface TestedUpstream {
  id: string;
  /** null where it was not tried; `why` says why not */
  report: ProbeReport | null;
  why: string;
}

const day = 86_400_000;

export function testThroughService(
  service: Caller,
  upstreams: ServiceStatus['upstreams'],
): Promise<TestedUpstream[]> {
  return Promise.all(
    upstreams.map(async ({ id, lastError }) => {
      if (lastError?.code === 'not-permitted') return { id, report: null, why: lastError.text };
      const tested = await service.call('upstream.test', { id });
      return tested.ok
        ? { id, report: tested.value, why: '' }
        : { id, report: null, why: tested.failure.message };
    }),
  );
}

export function judgeUpstream({ id, report, why }: TestedUpstream, now: number): Finding {
  if (report === null)
    return warn('upstream', `${id} was not tested: ${why}.`, remedyFor('not-permitted'), id);
  if (!report.ok) {
    const { code, message } = report.error ?? { code: 'unknown', message: 'no reason given' };
    const where = message.startsWith(report.address) ? '' : `${report.address}: `;
    const found = fail('upstream', `${id}: ${where}${message}.`, remedyFor(code), id);
    return curable(found, 'upstream.test', { id });
  }
  const [own] = report.chain;
  const left = own === undefined ? Number.POSITIVE_INFINITY : Date.parse(own.notAfter) - now;
  const text = `${id} answered in ${sayMilliseconds(report.ms)} from ${report.address}, ${saySecurity(report)}`;
  if (left < 7 * day)
    return warn(
      'upstream',
      `${text}; its certificate ends in ${sayDuration(Math.max(0, left))}.`,
      'whoever runs it should renew it; have a second upstream',
      id,
    );
  return ok('upstream', `${text}.`, id);
}

function saySecurity({ tls, chain }: ProbeReport): string {
  if (tls === null) return 'without TLS';
  const [own] = chain;
  return [
    `TLS ${tls.version}`,
    ...(tls.name === null ? [] : [`certificate for ${tls.name}`]),
    ...(tls.pinned ? ['pin matches'] : []),
    ...(own === undefined ? [] : [`valid until ${own.notAfter}`]),
  ].join(', ');
}

/** By the engine's word for what went wrong. */
function remedyFor(code: string): string {
  return remedies[code] ?? 'see each step with: sotto upstream test';
}

/** What to do about each of the engine's words (native/engine/src/upstream/failure.rs, trust.rs, probe.rs). */
export const remedies: Readonly<Record<string, string>> = {
  'connect-failed':
    'check the network; where it blocks port 853, use transport tdns, which needs only port 53',
  'no-reply': 'check the address; a firewall on the way may drop the packets',
  'timed-out': 'check the network, or put a nearer upstream first',
  'still-connecting':
    'the way there may be slow or blocked: check the network, or put a nearer upstream first',
  dead: 'the server, or the way to it, went silent: check the network, and have a second upstream',
  closed: 'the server hung up; if it does so again, whoever runs it should know',
  'bad-answer':
    'it speaks TLS, but what it answers is no usable DNS: check that address and port are those of a resolver',
  resting:
    'it failed shortly before and is tried again by itself; see its last error: sotto status',
  'starttls-failed': 'use transport dot for this server, if it does not offer STARTTLS',
  'starttls-declined-before': 'use transport dot for this server, if it does not offer STARTTLS',
  'tls-failed': 'the server may speak no TLS there: check address, port and transport',
  'certificate-name': 'correct "name" of that upstream; on a foreign network, distrust the network',
  'certificate-pin': 'compare "pins" with what the operator publishes; someone may be in between',
  'certificate-expired': "check this machine's date; else its operator has to renew it",
  'certificate-not-yet-valid': "set this machine's date and time",
  'certificate-issuer': 'give the authority\'s certificate as "ca", or distrust this network',
  'certificate-unusable': 'whoever runs the server should give it another certificate',
  'lease-missing': 'use transport dot or tdns, if the server has it',
  'not-permitted': 'use transport dot or tdns, if the server has it',
};

/** One question through everything, as a program's would go; example.com is there for such uses (RFC 2606). */
export async function askWholePath(
  service: Caller,
  state: ServiceStatus['protection']['state'],
): Promise<Finding[]> {
  // The examination must not be what sends a question in clear.
  if (!['private', 'starting', 'refusing'].includes(state)) return [];
  const asked = await service.call('query.ask', { name: 'example.com', type: 'A' });
  if (!asked.ok) return [fail('path', `${asked.failure.message}.`, asked.failure.remedy)];
  const { outcome, upstream, ms, reason, rcode } = asked.value.event;
  if (rcode === 'NOERROR' || rcode === 'NXDOMAIN')
    return [
      ok('path', `A question was ${outcome} (${upstream || 'here'}) in ${sayMilliseconds(ms)}.`),
    ];
  return [
    fail(
      'path',
      `A question was ${outcome}${upstream === '' ? '' : ` (${upstream})`}: ${reason || rcode}.`,
      outcome === 'forwarded'
        ? 'that was its own answer: check that this upstream resolves all names'
        : 'see what is said of the upstreams above',
    ),
  ];
}
