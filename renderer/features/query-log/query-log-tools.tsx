/** How many rows fit, whether the list follows, and actions for the rows that fit. */
import { useRef, useState } from 'react';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { exportAll } from './export-all.ts';
import type { Rows } from './query-log-store.ts';
import styles from './query-log-tools.module.css';

interface QueryLogToolsProps {
  filter: string;
  rows: Rows;
  /** null: there is no list that could follow */
  live: boolean | null;
  onToggle(): void;
  /** the rows that are shown no longer exist */
  onCleared(): void;
}

export function QueryLogTools({ filter, rows, live, onToggle, onCleared }: QueryLogToolsProps) {
  const { text, formats } = useWords();
  const { session } = useService();
  const [clearing, setClearing] = useState(false);
  const [exported, setExported] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);

  function held({ waiting, leftOut }: Rows): string {
    const count = waiting.length + leftOut;
    return count === 0 ? text.queryLog.held : text.queryLog.heldWith(formats.count(count));
  }

  async function save(format: 'csv' | 'ndjson'): Promise<void> {
    stop.current = new AbortController();
    setExported(0);
    const done = await exportAll(session, filter, format, setExported, stop.current.signal);
    setExported(null);
    if (done === null) return;
    if (done.ok) host.save(`sotto-queries.${format}`, done.value);
    else tellFailure(done.failure);
  }

  return (
    <div className={styles.tools}>
      <Count rows={rows} />
      {live === null ? null : (
        <Button
          className={styles.live}
          aria-pressed={live}
          aria-keyshortcuts="p"
          onClick={onToggle}
        >
          {live ? text.queryLog.live : held(rows)}
        </Button>
      )}
      {exported === null ? (
        <Menu variant="quiet" label={text.queryLog.more}>
          <MenuItem onSelect={() => void save('csv')}>{text.queryLog.export.csv}</MenuItem>
          <MenuItem onSelect={() => void save('ndjson')}>{text.queryLog.export.ndjson}</MenuItem>
          <MenuItem onSelect={() => setClearing(true)}>{text.queryLog.clear.title}</MenuItem>
        </Menu>
      ) : (
        <Exporting rows={exported} onStop={() => stop.current?.abort()} />
      )}
      {clearing ? <Clear onClose={() => setClearing(false)} onDone={onCleared} /> : null}
    </div>
  );
}

function Count({ rows: { total, progress } }: { rows: Rows }) {
  const { text, formats } = useWords();
  if (progress !== null)
    return (
      <span className={styles.count}>
        {text.queryLog.searching(formats.share(progress.scanned / Math.max(1, progress.of)))}
      </span>
    );
  if (total === null) return null;
  return (
    <span className={styles.count}>
      {text.queryLog.count(formats.count(total.rows), formats.count(total.of))}
    </span>
  );
}

function Exporting({ rows, onStop }: { rows: number; onStop(): void }) {
  const { text, formats } = useWords();
  return (
    <>
      <output>{text.queryLog.export.progress(formats.count(rows))}</output>
      <Button onClick={onStop}>{text.queryLog.export.stop}</Button>
    </>
  );
}

function Clear({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const { text } = useWords();
  const { session } = useService();
  async function clear(): Promise<void> {
    const cleared = await session.call('log.clear', {});
    onClose();
    if (!cleared.ok) return tellFailure(cleared.failure);
    toast('done', text.queryLog.clear.done);
    onDone();
  }
  return (
    <Dialog
      title={text.queryLog.clear.title}
      onClose={onClose}
      actions={
        <Button variant="danger" onClick={() => void clear()}>
          {text.queryLog.clear.yes}
        </Button>
      }
    >
      <p>{text.queryLog.clear.meaning}</p>
    </Dialog>
  );
}
