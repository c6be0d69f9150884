/** Whether the service runs, in this version, and what it says of itself. Pure. */
import type { Ask } from '../../contract/ask.ts';
import type { Failure } from '../../contract/errors.ts';
import type { HealthIssue } from '../../contract/health-issue.ts';
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import type { ResultOf } from '../../contract/service-api.ts';
import type { GroupStatus, ServiceStatus } from '../../contract/service-status.ts';
import { programVersion } from '../version.ts';
import { curable, type Finding, fail, ok, warn } from './finding.ts';

export function judgeService({ version, pid }: ResultOf<'hello'>): Finding {
  const own = programVersion();
  if (version === own) return ok('service', `The service runs, version ${version}, pid ${pid}.`);
  return fail(
    'service',
    `The service is of version ${version}, this command of ${own}.`,
    'restart the service',
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
    ...status.asks.map(judgeAsk),
    ...judgeLedger(status.clear),
    ...(health.some(({ code }) => code === 'bypass-loop')
      ? []
      : [ok('loops', 'No resolver leads back to Sotto.')]),
    ...health.filter(({ code }) => !toldElsewhere.has(code)).map(judgeIssue),
  ];
}

function judgeGuardian(guarded: boolean): Finding {
  return guarded
    ? ok('guardian', 'If the service dies it is started again, and its addresses stay held.')
    : warn(
        'guardian',
        'Nobody guards the service: if it dies nothing answers, and another program may take its addresses.',
        'start it with: sotto run --guarded',
      );
}

function judgePolicy({ id, names, policy, rungs, why }: GroupStatus): Finding {
  const whose = id === '' ? 'Where no private path works' : `For ${names.join(', ')} (group ${id})`;
  const ladder = rungs.length === 0 ? 'which leave no way' : `down to ${rungs.join(', ')}`;
  const words: Record<GroupStatus['policy'], string> = {
    refuse: 'questions are refused',
    warn: `you are asked before any leaves in clear (${ladder})`,
    fallback: `questions leave in clear until one works again (${ladder})`,
  };
  return ok('policy-in-force', `${whose}, ${words[policy]}: "${policy}", by ${why}.`, id);
}

function judgeAsk({ id, upstream, networkLabel, group }: Ask): Finding {
  const names = group === '' ? '' : ` for the names of the group ${group}`;
  const open = warn(
    'ask',
    `${upstream} can't be reached privately on ${networkLabel}, and a question waits for you${names}.`,
    `answer it: sotto ask allow ${id} --minutes 30, sotto ask deny ${id}, or sotto ask retry ${id}`,
    id,
  );
  return curable(open, 'ask.retry', { id });
}

/** By the settings, upstream, protection, ask, ledger and clock checks, which say more. */
const toldElsewhere = new Set<HealthIssue['code']>([
  'settings-invalid',
  'policy-file-invalid',
  'policy-overrides-user',
  'no-network',
  'no-private-path',
  'asking',
  'exposed',
  'certificate-wrong',
  'clock-wrong',
  'ledger-unwritable',
  'log-stopped',
]);

function judgeProtection({ protection, sentence, health }: ServiceStatus): Finding {
  switch (protection.state) {
    case 'private':
    case 'starting':
      return ok('protection', sentence);
    case 'off':
    case 'paused':
      return curable(warn('protection', sentence, 'end it with: sotto on'), 'protection.on', {});
    case 'exposed':
      return warn('protection', sentence, 'see what leaves: sotto ledger');
    case 'asking':
      return warn('protection', sentence, 'answer what you are asked below');
    default:
      return fail(
        'protection',
        sentence,
        health.some(({ code }) => code === 'no-network')
          ? 'connect this machine to a network; Sotto goes on by itself'
          : 'see what is said of the upstreams below',
      );
  }
}

function judgeLedger(entries: readonly LedgerEntry[]): Finding[] {
  if (entries.length === 0) return [ok('ledger', 'No permission to send in clear is open.')];
  return entries.map((entry) => {
    const rule = entry.rule === '' ? '' : ` for ${entry.rule}`;
    const text = `Questions may leave in clear (${entry.class}${rule}); ${entry.count ?? 'nobody knows how many'} did.`;
    // A bypass is what the settings ask for.
    return entry.class === 'bypass'
      ? ok('ledger', text, String(entry.id))
      : warn('ledger', text, howToEnd(entry.class), String(entry.id));
  });
}

function howToEnd(clearClass: LedgerEntry['class']): string {
  return clearClass === 'policy'
    ? 'see why, and what would end it: sotto status'
    : 'end it with "sotto on", or see "sotto status"';
}

function judgeIssue({ code, subject, severity, text, remedy }: HealthIssue): Finding {
  const check = code === 'bypass-loop' ? 'loops' : code;
  if (severity === 'info') return ok(check, text, subject);
  return severity === 'error'
    ? fail(check, text, remedy, subject)
    : warn(check, text, remedy, subject);
}
