/** Step 3: how a program finds Sotto. Taking over the system DNS will have its place here. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { toast } from '../../state/toasts.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { digAt } from '../query-log/dig-command.ts';
import styles from './first-run.module.css';

export function PointPrograms() {
  const { text } = useWords();
  const listening = useStore(useService().status)?.value.listening ?? [];
  const words = text.firstRun.programs;
  const [first] = listening;

  async function copy(line: string): Promise<void> {
    toast('done', (await host.copy(line)) ? words.copied : words.notCopied);
  }

  if (first === undefined) return <p>{words.nowhere}</p>;
  const command = `dig ${digAt(first)} example.com`;
  return (
    <>
      <p className={styles.text}>
        <Rich of={words.means} address={<code>{safe(first)}</code>} />
      </p>
      <div className={styles.command}>
        <code>{command}</code>
        <Button onClick={() => void copy(command)}>{words.copy}</Button>
      </div>
      <p className={styles.text}>{words.after}</p>
    </>
  );
}
