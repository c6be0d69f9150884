/** What the journal tells of the files that settings stand in: each error once, by file, line and field; what policies decide. */
import { isDeepStrictEqual } from 'node:util';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { SettingSources } from '../settings/settings-layers.ts';
import type { Problem } from '../settings/settings-text.ts';
import type { Journal } from './journal.ts';

export interface SettingsJournal {
  /** The files were read. */
  found(files: Pick<LoadedSettings, 'problems' | 'policyProblems' | 'vanished'>): void;
  /** These are in force. */
  inForce(sources: SettingSources): void;
}

interface Decided {
  settings: string[];
  locked: string[];
}

export function createSettingsJournal(journal: Journal): SettingsJournal {
  let last: Parameters<SettingsJournal['found']>[0] = {
    problems: [],
    policyProblems: [],
    vanished: [],
  };
  let decided: ReadonlyMap<string, Decided> = new Map();

  return {
    found(now) {
      for (const problem of added(last.problems, now.problems))
        journal.note('settings-error', placeOf(problem));
      for (const problem of added(last.policyProblems, now.policyProblems))
        journal.note('policy-error', placeOf(problem));
      const [was, is] = [last, now].map(
        ({ policyProblems }) => new Set(policyProblems.map(({ file }) => file)),
      );
      for (const file of was ?? []) if (!is?.has(file)) journal.note('policy-error-over', { file });
      for (const file of now.vanished)
        if (!last.vanished.includes(file)) journal.note('file-vanished', { file });
      last = now;
    },

    inForce(sources) {
      const now = decidedBy(sources);
      for (const [file, what] of now)
        if (!isDeepStrictEqual(what, decided.get(file)))
          journal.note('policy-in-force', { file, ...what });
      for (const file of decided.keys()) if (!now.has(file)) journal.note('policy-ended', { file });
      decided = now;
    },
  };
}

/** Its reason is not told: it may repeat what stands in the file, names of rules among it. */
function placeOf({ file, line, path }: Problem) {
  return { file, line, field: path };
}

function added(before: readonly Problem[], now: readonly Problem[]): readonly Problem[] {
  return now.filter(
    (one) => !before.some((other) => isDeepStrictEqual(placeOf(one), placeOf(other))),
  );
}

/** By policy file. */
function decidedBy(sources: SettingSources): Map<string, Decided> {
  const byFile = new Map<string, Decided>();
  for (const [setting, { layer, file, locked }] of Object.entries(sources)) {
    if (layer !== 'policy' || file === null) continue;
    const decided = byFile.get(file) ?? { settings: [], locked: [] };
    byFile.set(file, decided);
    decided.settings.push(setting);
    if (locked) decided.locked.push(setting);
  }
  return byFile;
}
