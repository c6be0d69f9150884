/** What goes around Sotto, each with its remedy. */
import { useState } from 'react';
import type { CoverageRow } from '../../../app/contract/system/coverage.ts';
import type { CoverageFix } from '../../../app/contract/system/coverage-fixes.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { Told } from '../../components/told.tsx';
import { useAsked } from '../../state/asked.ts';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { FixDialog } from '../coverage-fix/fix-dialog.tsx';
import { fixInEnglish, programOf, readFix } from '../coverage-fix/fix-words.ts';
import styles from './columns.module.css';

const most = 5;
const minute = 60_000;

export function GoesAround() {
  const { text, formats } = useWords();
  const now = useNow(minute);
  const round = `${Math.floor(now / minute)}`;
  const { value: map, failure, again } = useAsked('coverage.map', {}, round);
  const fixes = useAsked('coverage.fixes', {}, round);
  const [fixing, fix] = useState<CoverageFix | null>(null);
  const fixed = fixes.value?.fixes.filter(({ since }) => since !== null) ?? [];
  const words = text.home.around;
  const rows = map?.rows.filter(({ weighs }) => weighs) ?? [];
  return (
    <section className={styles.column} aria-labelledby="goes-around">
      <h2 id="goes-around" tabIndex={-1}>
        {words.title}
      </h2>
      {rows.length > 0 ? (
        <ul>
          {rows.slice(0, most).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name of its own
            <Around key={`${row.kind} ${row.name} ${index}`} row={row} onFix={fix} />
          ))}
        </ul>
      ) : (
        <p className={styles.quiet}>{whyNone()}</p>
      )}
      {rows.length > most ? (
        <a href={linkTo('diagnostics')}>{words.more(formats.count(rows.length - most))}</a>
      ) : null}
      <Fixed of={fixed.map((one) => one.fix)} onUndone={readAgain} />
      {fixing === null ? null : (
        <FixDialog fix={fixing} onClose={() => fix(null)} onChanged={readAgain} />
      )}
    </section>
  );

  function readAgain(): void {
    again();
    fixes.again();
  }

  function whyNone(): string {
    if (map !== null)
      return now - map.at < minute ? words.justNow : words.none(formats.duration(now - map.at));
    if (failure === null) return text.frame.loading;
    return failure.code === 'forbidden' ? words.forbidden : words.unknown;
  }
}

interface AroundProps {
  row: CoverageRow;
  onFix(fix: CoverageFix): void;
}

function Around({ row, onFix }: AroundProps) {
  const { text, formats } = useWords();
  const { name, kind, count, text: english, remedy, says } = row;
  const fix = readFix(row.fix);
  return (
    <li className={styles.around}>
      <span className={styles.value}>
        {name === '' ? text.home.around.kinds[kind] : safe(name)}
      </span>
      {count === null ? null : <span className={styles.quiet}>{formats.count(count)}</span>}
      {fix === null ? (
        <details>
          <summary>{text.home.howToFix}</summary>
          <p>
            <Told english={english} says={says.text} />
          </p>
          <p>
            <Told english={remedy} says={says.remedy} />
          </p>
        </details>
      ) : (
        <button type="button" className={styles.fix} onClick={() => onFix(fix)}>
          {text.home.howToFix}
        </button>
      )}
    </li>
  );
}

/** What was changed in other programs, each with the way back. */
function Fixed({ of: fixes, onUndone }: { of: readonly CoverageFix[]; onUndone(): void }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  if (fixes.length === 0) return null;

  async function undo(fix: CoverageFix): Promise<void> {
    const undone = await session.call('coverage.undo', { fix });
    if (!undone.ok) return tellFailure(undone.failure);
    const { says } = undone.value;
    toast('done', <Told english={fixInEnglish(says)} says={[says]} />);
    onUndone();
  }

  return (
    <ul>
      {fixes.map((fix) => (
        <li key={fix} className={styles.around}>
          <span className={styles.quiet}>{text.coverageFix.fixed(programOf(fix))}</span>
          <button
            type="button"
            className={styles.fix}
            aria-label={text.coverageFix.undoOf(programOf(fix))}
            disabled={!live}
            onClick={() => void undo(fix)}
          >
            {text.coverageFix.undo}
          </button>
        </li>
      ))}
    </ul>
  );
}
