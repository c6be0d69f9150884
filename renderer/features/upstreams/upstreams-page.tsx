/** The upstreams in their order, how well they do, and the resolvers of the catalogue. */
import { useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { AddByAddress } from './add-by-address.tsx';
import { AddByStamp } from './add-by-stamp.tsx';
import { Catalogue } from './catalogue.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { LockNotice } from './lock-notice.tsx';
import { UpstreamList } from './upstream-list.tsx';
import styles from './upstreams-page.module.css';
import { type Edits, type LastChange, useEdits } from './use-edits.ts';
import { useSettings } from './use-settings.ts';

type Opened = 'address' | 'stamp' | 'forget';

export function UpstreamsPage() {
  const { text } = useWords();
  const known = useStore(useService().status);
  const live = useLive();
  const settings = useSettings();
  const edits = useEdits(() => settings?.readAgain());
  const [opened, open] = useState<Opened | null>(null);
  const close = () => open(null);
  const setting = settings?.setting('upstreams');
  const editable = live && setting !== undefined && !setting.locked;
  const words = text.upstreams;
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1>{text.frame.pages.providers}</h1>
          <p className={styles.intro}>{words.intro}</p>
        </div>
        <div className={styles.actions}>
          <Button disabled={!editable} onClick={() => open('address')}>
            {words.add.byAddress}
          </Button>
          <Button disabled={!editable} onClick={() => open('stamp')}>
            {words.add.byStamp}
          </Button>
          <Button disabled={!live} onClick={() => open('forget')}>
            {words.forget.all}
          </Button>
        </div>
      </div>
      <h2 className="spoken">{words.list}</h2>
      {setting?.locked ? <LockNotice setting={setting} /> : null}
      {known === null ? (
        <EmptyState title={text.frame.loading} />
      ) : (
        <UpstreamList known={known} setting={setting} editable={editable} edits={edits} />
      )}
      <Said last={edits.last} undo={edits.undo} />
      <Catalogue editable={editable} edits={edits} />
      {opened === 'address' ? <AddByAddress edits={edits} onClose={close} /> : null}
      {opened === 'stamp' ? <AddByStamp edits={edits} onClose={close} /> : null}
      {opened === 'forget' ? <ForgetDialog id={null} onClose={close} /> : null}
    </div>
  );
}

/** The last change, which a screen reader reads as it happens, with a button to undo it. */
function Said({ last, undo }: { last: LastChange | null; undo: Edits['undo'] }) {
  const { text } = useWords();
  const live = useLive();
  return (
    <div role="status">
      {last === null ? null : (
        <div className={styles.said}>
          <p>{last.words}</p>
          {last.revision === null ? null : (
            <Button disabled={!live} onClick={undo}>
              {text.upstreams.undo.action}
            </Button>
          )}
          {last.notes.map((note) => (
            <p key={note} className={styles.note} lang="en">
              {safe(note)}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
