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
import type { Rows } from './history-store.ts';
import styles from './history-tools.module.css';

interface HistoryToolsProps {
  filter: string;
  rows: Rows;
  live: boolean;
  onToggle(): void;
  /** the rows that are shown no longer exist */
  onCleared(): void;
}

export function HistoryTools({ filter, rows, live, onToggle, onCleared }: HistoryToolsProps) {
  const { text } = useWords();
  const { session } = useService();
  const [clearing, setClearing] = useState(false);
  const [exported, setExported] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);

  async function save(format: 'csv' | 'ndjson'): Promise<void> {
    stop.current = new AbortController();
    setExported(0);
    const done = await exportAll(session, filter, format, setExported, stop.current.signal);
    setExported(null);
    if (done === null) return;
    if (done.ok) host.save(`sotto-history.${format}`, done.value);
    else tellFailure(done.failure);
  }

  return (
    <div className={styles.tools}>
      <Count rows={rows} />
      <Button variant="quiet" aria-pressed={live} aria-keyshortcuts="p" onClick={onToggle}>
        {live ? text.history.live : text.history.held}
      </Button>
      {exported === null ? (
        <Menu variant="quiet" label={text.history.more}>
          <MenuItem onSelect={() => void save('csv')}>{text.history.export.csv}</MenuItem>
          <MenuItem onSelect={() => void save('ndjson')}>{text.history.export.ndjson}</MenuItem>
          <MenuItem onSelect={() => setClearing(true)}>{text.history.clear.title}</MenuItem>
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
        {text.history.searching(formats.share(progress.scanned / Math.max(1, progress.of)))}
      </span>
    );
  if (total === null) return null;
  return (
    <span className={styles.count}>
      {text.history.count(formats.count(total.rows), formats.count(total.of))}
    </span>
  );
}

function Exporting({ rows, onStop }: { rows: number; onStop(): void }) {
  const { text, formats } = useWords();
  return (
    <>
      <output>{text.history.export.progress(formats.count(rows))}</output>
      <Button onClick={onStop}>{text.history.export.stop}</Button>
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
    toast('done', text.history.clear.done);
    onDone();
  }
  return (
    <Dialog
      title={text.history.clear.title}
      onClose={onClose}
      actions={
        <Button variant="danger" onClick={() => void clear()}>
          {text.history.clear.yes}
        </Button>
      }
    >
      <p>{text.history.clear.meaning}</p>
    </Dialog>
  );
}
