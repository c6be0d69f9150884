/** What goes around Sotto, each with its remedy. */
import type { CoverageRow } from '../../../app/contract/system/coverage.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Told } from '../../components/told.tsx';
import { useAsked } from '../../state/asked.ts';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './columns.module.css';

const most = 5;
const minute = 60_000;

export function GoesAround() {
  const { text, formats } = useWords();
  const now = useNow(minute);
  const { value: map, failure } = useAsked('coverage.map', {}, `${Math.floor(now / minute)}`);
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
            <Around key={`${row.kind} ${row.name} ${index}`} row={row} />
          ))}
        </ul>
      ) : (
        <p className={styles.quiet}>{whyNone()}</p>
      )}
      {rows.length > most ? (
        <a href={linkTo('diagnostics')}>{words.more(formats.count(rows.length - most))}</a>
      ) : null}
    </section>
  );

  function whyNone(): string {
    if (map !== null)
      return now - map.at < minute ? words.justNow : words.none(formats.duration(now - map.at));
    if (failure === null) return text.frame.loading;
    return failure.code === 'forbidden' ? words.forbidden : words.unknown;
  }
}

function Around({ row: { name, kind, count, text: english, remedy, says } }: { row: CoverageRow }) {
  const { text, formats } = useWords();
  const words = text.home.around;
  return (
    <li className={styles.around}>
      <span className={styles.value}>{name === '' ? words.kinds[kind] : safe(name)}</span>
      {count === null ? null : <span className={styles.quiet}>{formats.count(count)}</span>}
      <details>
        <summary>{text.home.howToFix}</summary>
        <p>
          <Told english={english} says={says.text} />
        </p>
        <p>
          <Told english={remedy} says={says.remedy} />
        </p>
      </details>
    </li>
  );
}
