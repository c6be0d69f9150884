/** The issues that stand at this moment. Raising the same one again changes its words, not its age. */
import {
  type Detail,
  describeHealthIssue,
  type HealthIssue,
  type HealthIssueCode,
} from '../../contract/status/health-issue.ts';

export interface HealthRegistry {
  raise(code: HealthIssueCode, detail: Detail, subject?: string): void;
  /** As described elsewhere: by a part that keeps its own words. */
  put(issue: HealthIssue): void;
  clear(code: HealthIssueCode, subject?: string): void;
  /** Raises what is in `details` (subject to detail) and clears the others of the same code. */
  replace(code: HealthIssueCode, details: ReadonlyMap<string, Detail>): void;
  list(): HealthIssue[];
}

export function createHealthRegistry(now: () => number, onChange: () => void): HealthRegistry {
  const standing = new Map<string, HealthIssue>();
  const keyOf = (code: HealthIssueCode, subject: string) => `${code} ${subject}`;

  function raise(code: HealthIssueCode, detail: Detail, subject = ''): void {
    const before = standing.get(keyOf(code, subject));
    const issue = describeHealthIssue(code, subject, detail, before?.since ?? now());
    if (before?.text === issue.text) return;
    standing.set(keyOf(code, subject), issue);
    onChange();
  }

  function clear(code: HealthIssueCode, subject = ''): void {
    if (standing.delete(keyOf(code, subject))) onChange();
  }

  return {
    raise,
    clear,
    put(issue) {
      standing.set(keyOf(issue.code, issue.subject), issue);
      onChange();
    },
    replace(code, details) {
      for (const issue of [...standing.values()])
        if (issue.code === code && !details.has(issue.subject)) clear(code, issue.subject);
      for (const [subject, detail] of details) raise(code, detail, subject);
    },
    list: () => [...standing.values()],
  };
}
