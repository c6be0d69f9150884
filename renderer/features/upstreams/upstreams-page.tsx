/** The providers in their order, how well they do, and how fast each is from here. */
import { useEffect, useRef, useState } from 'react';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { PageBody } from '../../components/page-body.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { AddDialog } from './add-dialog.tsx';
import { Compare } from './compare.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { LockNotice } from './lock-notice.tsx';
import { UpstreamList } from './upstream-list.tsx';
import styles from './upstreams-page.module.css';
import { useCatalogue } from './use-catalogue.ts';
import { type Edits, type LastChange, useEdits } from './use-edits.ts';
import { useSettings } from './use-settings.ts';

type Opened = 'add' | 'forget';

export function UpstreamsPage() {
  const { text } = useWords();
  const known = useStore(useService().status);
  const live = useLive();
  const settings = useSettings();
  const catalogue = useCatalogue() ?? [];
  const [opened, open] = useState<Opened | null>(null);
  const edits = useEdits(nameOf, () => settings?.readAgain());
  const setting = settings?.setting('upstreams');
  const editable = live && setting !== undefined && !setting.locked;
  const words = text.upstreams;

  function nameOf(id: string): string {
    const isIt = (one: { id: string }) => one.id === id;
    return safe((known?.value.upstreams.find(isIt) ?? catalogue.find(isIt))?.label ?? id);
  }

  return (
    <PageBody
      title={text.frame.pages.providers}
      about={words.intro[strategyOf(known?.value)]}
      actions={
        <>
          <Button disabled={!editable} onClick={() => open('add')}>
            {words.add.action}
          </Button>
          <Menu label={words.move.menu} variant="quiet" aria-label={words.more} disabled={!live}>
            <MenuItem onSelect={() => open('forget')}>{words.forget.all}</MenuItem>
          </Menu>
        </>
      }
    >
      <section className={styles.providers}>
        <h2 className="spoken">{words.list}</h2>
        {setting?.locked ? <LockNotice setting={setting} /> : null}
        {known === null ? (
          <EmptyState title={text.frame.loading} />
        ) : (
          <UpstreamList
            known={known}
            catalogue={catalogue}
            setting={setting}
            editable={editable}
            edits={edits}
          />
        )}
      </section>
      <Compare catalogue={catalogue} editable={editable} edits={edits} nameOf={nameOf} />
      <Said last={edits.last} undo={edits.undo} close={edits.close} />
      {opened === 'add' ? (
        <AddDialog catalogue={catalogue} edits={edits} onClose={() => open(null)} />
      ) : null}
      {opened === 'forget' ? <ForgetDialog id={null} onClose={() => open(null)} /> : null}
    </PageBody>
  );
}

/** Of the names that belong to no group; "ordered" until it is known. */
function strategyOf(
  status: ServiceStatus | undefined,
): ServiceStatus['groups'][number]['strategy'] {
  return status?.groups.find(({ id }) => id === '')?.strategy ?? 'ordered';
}

interface SaidProps {
  last: LastChange | null;
  undo: Edits['undo'];
  close: Edits['close'];
}

/** The last change, which a screen reader reads as it happens, with a button to undo it; it stays until the next one. */
function Said({ last, undo, close }: SaidProps) {
  const { text } = useWords();
  const live = useLive();
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (last !== null) before.current = document.activeElement;
  }, [last]);

  /** Its buttons go, so the focus returns to where it was. */
  function leave(how: () => void): void {
    how();
    if (before.current instanceof HTMLElement) before.current.focus();
  }

  return (
    <div role="status" className={styles.said}>
      {last === null ? null : (
        <div className={styles.toast}>
          <div className={styles.words}>
            <p>{last.words}</p>
            {last.notes.map((note) => (
              <p key={note} className={styles.note}>
                {note}
              </p>
            ))}
          </div>
          <Button disabled={!live} onClick={() => leave(undo)}>
            {text.upstreams.undo.action}
          </Button>
          <Button variant="quiet" onClick={() => leave(close)}>
            {text.frame.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}
