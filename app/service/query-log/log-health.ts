/** The one health issue of the log at a time, reported when it changes. */

import { say } from '../../contract/sentences/sentence.ts';
import { describeHealthIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { WriterStatus } from './log-messages.ts';

const logIssueCodes = ['log-stopped', 'log-erasing-held-up', 'log-begun-afresh'] as const;

/** At most one of them stands at a time. */
export function putLogIssue(health: HealthRegistry): (issue: HealthIssue | null) => void {
  return (issue) => {
    for (const code of logIssueCodes) if (code !== issue?.code) health.clear(code);
    if (issue !== null) health.put(issue);
  };
}

export function logHealth(
  onHealth: (issue: HealthIssue | null) => void,
): (status: WriterStatus) => void {
  let shown: string | null = null;
  return (status) => {
    const issue = issueOf(status);
    const key = issue && `${issue.title} ${issue.text}`;
    if (key === shown) return;
    shown = key;
    onHealth(issue);
  };
}

function issueOf({
  state,
  reason,
  stoppedAt,
  setAside,
  heldUpSince,
}: WriterStatus): HealthIssue | null {
  if (state === 'stopped') {
    return describeHealthIssue(
      'log-stopped',
      '',
      [
        reason === null
          ? say('query-log-stopped-somehow')
          : say('query-log-stopped-by', { reason }),
      ],
      stoppedAt ?? 0,
    );
  }
  if (heldUpSince !== null) return describeHealthIssue('log-erasing-held-up', '', [], heldUpSince);
  if (setAside === null) return null;
  return describeHealthIssue(
    'log-begun-afresh',
    '',
    [say('query-log-set-aside', { reason: setAside.reason, file: setAside.file })],
    setAside.at,
  );
}
