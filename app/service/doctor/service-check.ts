/** Whether the service runs, in this version, and its own report. Pure. */

import type { Failure } from '../../contract/errors.ts';
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { headlineOf, sentencesOf } from '../../contract/protection/verdict-words.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { ResultOf } from '../../contract/service-api.ts';
import { codesOfIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { GroupStatus, ServiceStatus } from '../../contract/status/service-status.ts';
import { programVersion } from '../base/version.ts';
import { curable, type Finding, fail, ok, warn } from './finding.ts';

export function judgeService({ version, pid }: ResultOf<'hello'>): Finding {
  const own = programVersion();
  if (version === own) return ok('service', say('service-runs', { version, pid }));
  return fail(
    'service',
    say('service-of-another-version', { version, own }),
    say('restart-service'),
  );
}

export function judgeServiceAbsence({ message, remedy }: Failure): Finding {
  return fail('service', `${message}.`, remedy);
}

export function judgeStatus(status: ServiceStatus): Finding[] {
  const { health } = status;
  return [
    judgeGuardian(status.guarded),
    judgeProtection(status),
    ...status.groups.map(judgePolicy),
    ...status.consentRequests.map(judgeConsentRequest),
    ...judgeLedger(status.clear),
    ...(health.some(({ code }) => code === 'bypass-loop') ? [] : [ok('loops', say('no-loop'))]),
    ...health.filter(({ code }) => !toldElsewhere.has(code)).map(judgeIssue),
  ];
}

function judgeGuardian(guarded: boolean): Finding {
  return guarded
    ? ok('guardian', say('guarded'))
    : warn('guardian', say('unguarded'), say('start-guarded'));
}

function judgePolicy({ id, names, policy, rungs, why }: GroupStatus): Finding {
  const about = { names: names.join(', '), group: id, rungs: rungs.join(', '), why };
  const whose = id === '' ? 'policy' : 'group-policy';
  if (policy === 'refuse') return ok('policy-in-force', say(`${whose}-refuse`, about), id);
  const ladder = rungs.length === 0 ? (`${policy}-no-way` as const) : policy;
  return ok('policy-in-force', say(`${whose}-${ladder}`, about), id);
}

function judgeConsentRequest({ id, upstream, networkLabel, group }: ConsentRequest): Finding {
  const about = { upstream, network: networkLabel, group };
  const open = warn(
    'consent',
    say(group === '' ? 'consent-request-waits' : 'group-consent-request-waits', about),
    say('answer-consent-request-now', { id }),
    id,
  );
  return curable(open, 'consent.retry', { id });
}

/** By the upstream, protection, ask, ledger and clock checks, which say more. */
const toldElsewhere = new Set<HealthIssue['code']>([
  'no-network',
  'no-private-path',
  'asking',
  'exposed',
  'certificate-wrong',
  'clock-wrong',
  'ledger-unwritable',
  'log-stopped',
]);

function judgeProtection(status: ServiceStatus): Finding {
  // Moments are written as the service has written them.
  return { ...judgeVerdict(status), text: status.sentence };
}

function judgeVerdict({ verdict, health, systemDns }: ServiceStatus): Finding {
  const says = [headlineOf(verdict), ...sentencesOf(verdict)];
  switch (verdict.is) {
    case 'protected':
    case 'connecting':
      return ok('protection', says);
    case 'partly':
      return warn('protection', says, say(verdict.contested ? 'see-system-status' : 'see-probe'));
    case 'not-in-use':
      return judgeDisuse(says, verdict.why, systemDns);
    case 'off':
    case 'paused':
      return curable(warn('protection', says, say('end-with-on')), 'protection.on', {});
    case 'unencrypted':
      return warn(
        'protection',
        says,
        say(verdict.by === 'contest' ? 'see-system-status' : 'see-ledger'),
      );
    case 'choose':
      return warn('protection', says, say('answer-below'));
    case 'log-in':
      return warn('protection', says, say('open-login'));
    case 'blocked':
      return judgeBlocked(says, verdict.by, health);
  }
}

/** The programs of this machine do not ask us. */
function judgeDisuse(
  says: Said[],
  why: Extract<ServiceStatus['verdict'], { is: 'not-in-use' }>['why'],
  systemDns: ServiceStatus['systemDns'],
): Finding {
  if (why === 'no-way') return warn('protection', says, say('point-at-status'));
  if (why === 'coverage-gap') return warn('protection', says, say('see-probe'));
  return systemDns?.trouble
    ? warn('protection', says, systemDns.trouble.remedy)
    : curable(warn('protection', says, say('take-system')), 'system.take', {});
}

function judgeBlocked(
  says: Said[],
  by: 'no-path' | 'contest',
  health: readonly HealthIssue[],
): Finding {
  if (by === 'contest')
    return curable(fail('protection', says, say('see-system-status')), 'system.take', {});
  const isOffline = health.some(({ code }) => code === 'no-network');
  const remedy = isOffline ? say('connect-network') : say('see-upstreams-below');
  return curable(fail('protection', says, remedy), 'upstream.retry', {});
}

function judgeLedger(entries: readonly LedgerEntry[]): Finding[] {
  if (entries.length === 0) return [ok('ledger', say('ledger-empty'))];
  return entries.map((entry) => {
    const { class: clearClass, rule, count } = entry;
    const known = rule === '' ? 'ledger-open' : 'ledger-open-for';
    const about = { class: clearClass, rule, count: count ?? 0 };
    const text = say(count === null ? `${known}-uncounted` : known, about);
    // A bypass is what the settings ask for.
    return entry.class === 'bypass'
      ? ok('ledger', text, String(entry.id))
      : warn('ledger', text, howToEnd(entry.class), String(entry.id));
  });
}

function howToEnd(clearClass: LedgerEntry['class']): Said {
  return clearClass === 'policy' ? say('see-status-to-end') : say('end-or-see');
}

function judgeIssue(issue: HealthIssue): Finding {
  const found = verdictOn(issue);
  const { text, remedy } = codesOfIssue(issue);
  return { ...found, says: { text, remedy: found.remedy === null ? [] : remedy } };
}

function verdictOn({ code, subject, severity, text, remedy }: HealthIssue): Finding {
  const check = code === 'bypass-loop' ? 'loops' : code;
  if (severity === 'info') return ok(check, text, subject);
  return severity === 'error'
    ? fail(check, text, remedy, subject)
    : warn(check, text, remedy, subject);
}
