/** How a single program finds Sotto. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { digAt } from '../query-log/dig-command.ts';
import styles from './first-run.module.css';

export function PointPrograms() {
  const { text } = useWords();
  const listening = useStore(useService().status)?.value.listening ?? [];
  const words = text.firstRun.programs;
  const [first] = listening;
  if (first === undefined) return <p>{words.nowhere}</p>;
  const command = `dig ${digAt(first)} example.com`;
  return (
    <>
      <p className={styles.text}>
        <Rich of={words.means} address={<code>{safe(first)}</code>} />
      </p>
      <CopyLine line={command} />
      <p className={styles.text}>{words.after}</p>
    </>
  );
}
