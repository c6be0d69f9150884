/** Each upstream over a fresh connection: reached, authenticated, asked. */

import type { Result } from '../../contract/errors.ts';
import type { ProbeReport } from '../../contract/probing/probe-report.ts';
import { causeOf, isImpostor } from '../../contract/protection/gravity.ts';
import { remedySentences } from '../../contract/sentences/remedies.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { ResultOf } from '../../contract/service-api.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { Caller } from './caller.ts';
import { curable, type Finding, fail, ok, warn } from './finding.ts';

export interface TestedUpstream {
  id: string;
  /** null where it was not tried; `why` has the reason */
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
    return warn(
      'upstream',
      say('upstream-untested', { upstream: id, reason: why }),
      remedyFor('not-permitted'),
      id,
    );
  if (!report.ok) {
    const { code, message } = report.error ?? { code: 'unknown', message: 'no reason given' };
    const found = fail(
      'upstream',
      say('upstream-failed', {
        upstream: id,
        message,
        cause: causeOf({ code, tried: report.tried }),
      }),
      remedyFor(code),
      id,
    );
    return curable(found, 'upstream.test', { id });
  }
  const [own] = report.chain;
  const left = own === undefined ? Number.POSITIVE_INFINITY : Date.parse(own.notAfter) - now;
  const { ms, address } = report;
  const answered = {
    upstream: id,
    ms,
    address,
    security: saySecurity(report),
    tls: report.tls === null ? report.transport : `TLS ${report.tls.version}`,
  };
  const inVain = [report, report.alternative].flatMap((way) => way?.tried ?? []);
  const impostor = inVain.find(({ code }) => isImpostor(code));
  if (impostor !== undefined)
    return warn(
      'upstream',
      say('upstream-answered-but', {
        ...answered,
        message: `${impostor.address}: ${impostor.text}`,
        cause: causeOf({ ...impostor, tried: [impostor] }),
      }),
      remedyFor(impostor.code),
      id,
    );
  if (left < 7 * day)
    return warn(
      'upstream',
      say('upstream-certificate-ends', { ...answered, left: Math.max(0, left) }),
      say('renew-certificate'),
      id,
    );
  return ok('upstream', say('upstream-answered', answered), id);
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

/** By the engine's code for the error. */
function remedyFor(code: string): Said {
  const known: `after-${string}` = `after-${code}`;
  return say(isRemedy(known) ? known : 'after-unknown');
}

type Remedy = Extract<keyof typeof remedySentences, `after-${string}`>;

function isRemedy(code: `after-${string}`): code is Remedy {
  return Object.hasOwn(remedySentences, code);
}

/** One query through everything, as a program's would go. */
export async function askWholePath(
  service: Caller,
  state: ServiceStatus['protection']['state'],
): Promise<Finding[]> {
  // The examination must not be the reason for a query in cleartext.
  if (!['private', 'starting', 'refusing'].includes(state)) return [];
  const asked = await tryOut(service);
  if (!asked.ok) return [fail('path', `${asked.failure.message}.`, asked.failure.remedy)];
  const { outcome, upstream, ms, reason, rcode } = asked.value.event;
  if (isAnswer(rcode))
    return [
      ok(
        'path',
        say(upstream === '' ? 'path-works-here' : 'path-works', { outcome, upstream, ms }),
      ),
    ];
  return [
    fail(
      'path',
      say(upstream === '' ? 'path-fails' : 'path-fails-at', {
        outcome,
        upstream,
        reason: reason || rcode,
      }),
      outcome === 'forwarded' ? say('check-upstream-resolves') : say('see-upstreams-above'),
    ),
  ];
}

/** A failure that the cache still keeps (RFC 9520) says nothing of now. */
async function tryOut(service: Caller): Promise<Result<ResultOf<'query.tryOut'>>> {
  const asked = await service.call('query.tryOut', {});
  if (!asked.ok || asked.value.event.outcome !== 'cached' || isAnswer(asked.value.event.rcode))
    return asked;
  await service.call('cache.flush', { name: asked.value.event.name });
  return await service.call('query.tryOut', {});
}

function isAnswer(rcode: string | null): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN';
}
