/** `sotto fix`: what can be changed in other programs' settings, and what was. */
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type {
  FileOutcome,
  FixNow,
  FixResult,
  UndoResult,
} from '../../contract/system/coverage-fix.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

const outcomes: Readonly<Record<FileOutcome, string>> = {
  restored: 'as it was before',
  'key-taken-out': 'what Sotto set is taken out; what others wrote since stays',
  'changed-since': 'left alone, because another program changed what Sotto had set',
  gone: 'no longer exists',
};

export function renderFixes(fixes: readonly FixNow[]): string[] {
  return renderTable(
    ['fix', 'state', 'writes'].map((title) => ({ title })),
    fixes.map((now) => [now.fix, sayState(now), now.files.map(safe).join(', ')]),
  ).concat(
    fixes
      .filter(({ present }) => present)
      .flatMap(({ fix, refused }) =>
        refused === null ? [] : [`${fix}: ${safe(refused.message)}`, `→ ${safe(refused.remedy)}`],
      ),
  );
}

export function renderFixed({ files, proved, says }: FixResult): string[] {
  return [
    ...(files.length === 0 ? ['Every file says it already.'] : []),
    ...files.flatMap((change) => [
      `${safe(change.file)}${sayKind(change)}:`,
      ...changedLines(change.before ?? '', change.after),
    ]),
    `${proved === false ? 'Not proved: ' : ''}${safe(inEnglish(says))}`,
  ];
}

function sayKind({ before, hidden }: FixResult['files'][number]): string {
  if (hidden) return ', of which only root may read the rest';
  return before === null ? ', which is new' : '';
}

export function renderUndone({ files, says }: UndoResult): string[] {
  return [
    ...files.map(({ file, outcome }) => `${safe(file)}: ${outcomes[outcome]}`),
    safe(inEnglish(says)),
  ];
}

function sayState({ present, since, inPlace, refused }: FixNow): string {
  if (since !== null)
    return `fixed ${dayAndMinute(since)}${inPlace === false ? ', and changed by others since' : ''}`;
  if (!present) return 'not installed';
  return refused === null ? 'can be fixed' : "can't be fixed";
}

/** The lines that go and those that come; lines that stay at both ends are left out. */
function changedLines(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const same = (
    from: (lines: readonly string[], at: number) => string | undefined,
    most: number,
  ) => {
    let count = 0;
    while (count < most && from(old, count) === from(fresh, count)) count += 1;
    return count;
  };
  const shorter = Math.min(old.length, fresh.length);
  const first = same((lines, at) => lines[at], shorter);
  const last = same((lines, at) => lines.at(-1 - at), shorter - first);
  return [
    ...old.slice(first, old.length - last).map((text) => `  - ${safe(text)}`),
    ...fresh.slice(first, fresh.length - last).map((text) => `  + ${safe(text)}`),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
