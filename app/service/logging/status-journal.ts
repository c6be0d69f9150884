/** What the journal records when the status changes. The difference is pure; the caller decides when to look. */

import type { JournalFields, JournalWord } from '../../contract/journal.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { SystemDnsStatus } from '../../contract/system/system-dns.ts';
import type { Journal } from './journal.ts';

export type JournalFacts = Pick<
  ServiceStatus,
  'systemDns' | 'upstreams' | 'groups' | 'clear' | 'health'
>;

export interface StatusJournal {
  /** Records what is new since the status before. */
  see(status: JournalFacts): void;
  /** The service ends: what became of the system's DNS. */
  end(systemDns: SystemDnsStatus | null): void;
}

type Note = { [Word in JournalWord]: { event: Word; fields: JournalFields<Word> } }[JournalWord];

export function createStatusJournal(journal: Journal): StatusJournal {
  let last: JournalFacts | null = null;
  const tell = (notes: readonly Note[]) => {
    // Each has the fields of its own event.
    for (const { event, fields } of notes) journal.note(event, fields as never);
  };
  return {
    see(status) {
      tell(differences(last, status));
      last = status;
    },
    end(systemDns) {
      if (last?.systemDns?.taken === true && systemDns?.taken !== true)
        tell([{ event: 'dns-given-back', fields: { because: 'stopping' } }]);
    },
  };
}

export function differences(before: JournalFacts | null, now: JournalFacts): Note[] {
  return [
    ...systemDnsNotes(before?.systemDns ?? null, now.systemDns),
    ...authenticationNotes(before, now),
    ...now.groups
      .filter(({ id, state }) => stateOf(before, id) !== state.state)
      .map(({ id, state }) => note('protection-changed', { group: id, state: state.state })),
    ...ledgerNotes(before?.clear ?? [], now.clear),
    ...issueNotes(before?.health ?? [], now.health),
  ];
}

function systemDnsNotes(before: SystemDnsStatus | null, now: SystemDnsStatus | null): Note[] {
  return now === null ? [] : [...contestNotes(before, now), ...takingNotes(before, now)];
}

function contestNotes(before: SystemDnsStatus | null, { contest }: SystemDnsStatus): Note[] {
  const closed = before?.contest?.closed;
  if (contest === null) return closed === undefined ? [] : [note('dns-contest-over', {})];
  return contest.closed === closed ? [] : [note('dns-contested', { closed: contest.closed })];
}

function takingNotes(before: SystemDnsStatus | null, now: SystemDnsStatus): Note[] {
  const { taken, wanted, mechanism, links, givenBackFor, trouble } = now;
  const wasTaken = before?.taken === true;
  if (taken) return wasTaken ? [] : [note('dns-taken', { mechanism, links })];
  const because = wanted ? givenBackFor : 'not-wanted';
  if (because !== null) return wasTaken ? [note('dns-given-back', { because })] : [];
  const isNews = wasTaken || trouble?.code !== before?.trouble?.code;
  return isNews ? [note('dns-lost', { code: trouble?.code ?? null })] : [];
}

function authenticationNotes(before: JournalFacts | null, now: JournalFacts): Note[] {
  const [was, is] = [before, now].map((facts) => subjectsOf(facts, 'certificate-wrong'));
  const codeOf = (id: string) =>
    now.upstreams.find((upstream) => upstream.id === id)?.lastError?.code ?? null;
  return [
    ...added(was, is).map((id) =>
      note('authentication-failed', { upstream: id, code: codeOf(id) }),
    ),
    ...added(is, was).map((id) => note('authentication-restored', { upstream: id })),
    ...added(subjectsOf(before, 'downgrade-attempt'), subjectsOf(now, 'downgrade-attempt')).map(
      (id) => note('downgrade-evidence', { upstream: id }),
    ),
  ];
}

function ledgerNotes(before: JournalFacts['clear'], now: JournalFacts['clear']): Note[] {
  const isIn = (entries: JournalFacts['clear'], id: number) =>
    entries.some((entry) => entry.id === id);
  return [
    ...now
      .filter(({ id }) => !isIn(before, id))
      .map(({ id, class: kind, group }) =>
        note('cleartext-permitted', { entry: id, class: kind, group }),
      ),
    ...before
      .filter(({ id }) => !isIn(now, id))
      .map(({ id, class: kind, count }) =>
        note('cleartext-ended', { entry: id, class: kind, count }),
      ),
  ];
}

/** These have events of their own, which say more. */
const toldElsewhere: ReadonlySet<HealthIssueCode> = new Set([
  'settings-invalid',
  'policy-file-invalid',
  'settings-vanished',
  'certificate-wrong',
  'downgrade-attempt',
  'no-private-path',
  'captive-portal',
  'asking',
  'exposed',
  'system-dns-not-taken',
  'system-dns-contested',
]);

/** The subject of an issue is left out, because it may be a name. */
function issueNotes(before: JournalFacts['health'], now: JournalFacts['health']): Note[] {
  const codes = (issues: JournalFacts['health']) =>
    [...new Set(issues.map(({ code }) => code))].filter((code) => !toldElsewhere.has(code));
  const [was, is] = [codes(before), codes(now)];
  return [
    ...is
      .filter((code) => !was.includes(code))
      .map((issue) => {
        const severity = now.find(({ code }) => code === issue)?.severity ?? null;
        return note('issue-raised', { issue, severity });
      }),
    ...was.filter((code) => !is.includes(code)).map((issue) => note('issue-over', { issue })),
  ];
}

function stateOf(facts: JournalFacts | null, group: string): string | undefined {
  return facts?.groups.find(({ id }) => id === group)?.state.state;
}

function subjectsOf(facts: JournalFacts | null, wanted: HealthIssueCode): string[] {
  return (facts?.health ?? []).flatMap(({ code, subject }) => (code === wanted ? [subject] : []));
}

function added(before: readonly string[] = [], now: readonly string[] = []): string[] {
  return now.filter((one) => !before.includes(one));
}

function note<Word extends JournalWord>(event: Word, fields: JournalFields<Word>): Note {
  return { event, fields } as Note;
}
