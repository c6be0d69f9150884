/** The present health issues. Raising the same one again changes its text, not its age. */
import {
  type Detail,
  describeHealthIssue,
  type HealthIssue,
  type HealthIssueCode,
} from '../../contract/status/health-issue.ts';

/** What follows from the condition of a part: code, and subject to detail. */
export type Derived = readonly [HealthIssueCode, ReadonlyMap<string, Detail>];

export interface HealthRegistry {
  raise(code: HealthIssueCode, detail: Detail, subject?: string): void;
  /** For a part that writes the text of its issues itself. */
  put(issue: HealthIssue): void;
  clear(code: HealthIssueCode, subject?: string): void;
  /** Raises what is in `details` (subject to detail) and clears the others of the same code. */
  replace(code: HealthIssueCode, details: ReadonlyMap<string, Detail>): void;
  list(): HealthIssue[];
  /** As `list` would be if each of these had replaced what stands under its code. Changes nothing. */
  listWith(details: Iterable<Derived>): HealthIssue[];
}

export function createHealthRegistry(now: () => number, onChange: () => void): HealthRegistry {
  const standing = new Map<string, HealthIssue>();
  const keyOf = (code: HealthIssueCode, subject: string) => `${code} ${subject}`;

  function issueOf(code: HealthIssueCode, detail: Detail, subject: string): HealthIssue {
    const before = standing.get(keyOf(code, subject));
    const issue = describeHealthIssue(code, subject, detail, before?.since ?? now());
    return before?.text === issue.text ? before : issue;
  }

  function raise(code: HealthIssueCode, detail: Detail, subject = ''): void {
    const issue = issueOf(code, detail, subject);
    if (standing.get(keyOf(code, subject)) === issue) return;
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
    listWith(details) {
      const derived = new Map(details);
      const issues = new Map(
        [...standing].filter(([, { code, subject }]) => derived.get(code)?.has(subject) ?? true),
      );
      for (const [code, bySubject] of derived)
        for (const [subject, detail] of bySubject)
          issues.set(keyOf(code, subject), issueOf(code, detail, subject));
      return [...issues.values()];
    },
  };
}
