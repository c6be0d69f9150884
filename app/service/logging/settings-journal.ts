/** What the journal records of settings files: each error once, by file, line and field; the decisions of policies. */
import { isDeepStrictEqual } from 'node:util';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { SettingSources } from '../settings/settings-layers.ts';
import type { Problem } from '../settings/settings-text.ts';
import type { Journal } from './journal.ts';

export interface SettingsJournal {
  /** The files were read. */
  found(files: Found): void;
  /** These are in force. */
  inForce(sources: SettingSources): void;
}

type Found = Pick<LoadedSettings, 'problems' | 'policyProblems' | 'vanished' | 'held' | 'unread'>;

interface Decided {
  settings: string[];
  locked: string[];
  /** left out of the journal, because they may hold names */
  values: unknown[];
}

export function createSettingsJournal(journal: Journal): SettingsJournal {
  let last: Found = { problems: [], policyProblems: [], vanished: [], held: [], unread: [] };
  let decided: ReadonlyMap<string, Decided> = new Map();

  function noteErrors(now: Found): void {
    for (const problem of added(last.problems, now.problems, placeOf))
      journal.note('settings-error', placeOf(problem));
    for (const problem of added(last.policyProblems, now.policyProblems, placeOf))
      journal.note('policy-error', placeOf(problem));
    for (const file of added(filesOf(now), filesOf(last)))
      journal.note('policy-error-over', { file });
  }

  /** Files whose last content is in force in their place, and locks that are not in force. */
  function noteLosses(now: Found): void {
    for (const file of added(last.vanished, now.vanished)) journal.note('file-vanished', { file });
    for (const held of added(last.held, now.held)) journal.note('policy-held', { ...held });
    for (const file of added(last.unread, now.unread)) journal.note('policy-unread', { file });
  }

  return {
    found(now) {
      noteErrors(now);
      noteLosses(now);
      last = now;
    },

    inForce(sources) {
      const now = decidedBy(sources);
      for (const [file, what] of now)
        if (!isDeepStrictEqual(what, decided.get(file)))
          journal.note('policy-in-force', { file, settings: what.settings, locked: what.locked });
      for (const file of decided.keys()) if (!now.has(file)) journal.note('policy-ended', { file });
      decided = now;
    },
  };
}

/** The reason is left out, because it may repeat the file's text, including names of rules. */
function placeOf({ file, line, path }: Problem) {
  return { file, line, field: path };
}

function filesOf({ policyProblems }: Found): string[] {
  return [...new Set(policyProblems.map(({ file }) => file))];
}

/** What is new; `told`: the fields of each for the journal. */
function added<One>(
  before: readonly One[],
  now: readonly One[],
  told: (one: One) => unknown = (one) => one,
): readonly One[] {
  return now.filter((one) => !before.some((other) => isDeepStrictEqual(told(one), told(other))));
}

/** By policy file. */
function decidedBy(sources: SettingSources): Map<string, Decided> {
  const byFile = new Map<string, Decided>();
  for (const [setting, { layer, file, locked, entry }] of Object.entries(sources)) {
    if (layer !== 'policy' || file === null) continue;
    const decided = byFile.get(file) ?? { settings: [], locked: [], values: [] };
    byFile.set(file, decided);
    decided.settings.push(setting);
    decided.values.push(entry?.value);
    if (locked) decided.locked.push(setting);
  }
  return byFile;
}
