/** Exceptions: what may leave unencrypted now, who asks for it, which names always do, and what did in the last days. */
import { type ReactNode, useMemo, useState } from 'react';
import type { Params, ResultOf } from '../../../app/contract/service-api.ts';
import {
  type BypassRule,
  nameOfRule,
  ruleText,
} from '../../../app/contract/settings/bypass-rule.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { useAsked } from '../../state/asked.ts';
import { showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { CheckName } from './check-name.tsx';
import { Claims } from './claims.tsx';
import { DaysStrip } from './days-strip.tsx';
import { type Done, DoneLine } from './done-line.tsx';
import styles from './exceptions.module.css';
import { ImportDialog } from './import-dialog.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { RuleList } from './rule-list.tsx';
import { UnencryptedNow } from './unencrypted-now.tsx';

const nothingKnown: Pick<ServiceStatus, 'clear' | 'health'> = { clear: [], health: [] };
const nothingListed = { rules: [], claims: [], locked: true } as const;

type Opened = { is: 'add' } | { is: 'change'; rule: BypassRule } | { is: 'import' } | null;

export function ExceptionsPage() {
  const { text } = useWords();
  const { session, status } = useService();
  const live = useLive();
  // Every rule has an open entry, and a new one when it changes, which shows changes by others.
  const { clear, health } = useStore(status)?.value ?? nothingKnown;
  const open = clear.filter(({ rule }) => rule !== '');
  const claimed = health.filter(({ code }) => code === 'names-claimed');
  const listed = useAsked(
    'rule.list',
    {},
    [...open.map(({ id }) => id), ...claimed.map(({ subject }) => subject)].join(),
  );
  const from = useRoute().query.get('bypass');
  const [opened, setOpened] = useState<Opened>(null);
  const [done, setDone] = useState<Done | null>(null);
  const { rules, claims, locked } = listed.value ?? nothingListed;
  const canEdit = live && !locked;
  useActions(useRuleActions(() => setOpened({ is: 'add' }), canEdit));

  function close(): void {
    setOpened(null);
    if (from !== null) showInstead('exceptions');
  }

  function changed(words: string, revision: string, removed = false): void {
    close();
    setDone({ words, revision, removed });
    listed.again();
  }

  async function remove(rule: BypassRule): Promise<void> {
    const removed = await session.call('rule.remove', nameOfRule(rule));
    if (!removed.ok) return tellFailure(removed.failure);
    changed(
      text.exceptions.done.removed(safe(ruleText(rule))),
      removed.value.change.revision,
      true,
    );
  }

  async function save(format: Params<'rule.export'>['format']): Promise<void> {
    const exported = await session.call('rule.export', { format });
    if (!exported.ok) return tellFailure(exported.failure);
    const name = format === 'json' ? 'sotto-rules.json' : 'sotto-rules.txt';
    host.save(name, new Blob([exported.value.text], { type: 'text/plain' }));
  }

  return (
    <PageBody
      title={text.frame.pages.exceptions}
      about={text.exceptions.about}
      actions={
        <>
          <Button variant="main" disabled={!canEdit} onClick={() => setOpened({ is: 'add' })}>
            {text.exceptions.add}
          </Button>
          <Menu label={text.exceptions.more} disabled={!live}>
            {canEdit ? (
              <MenuItem onSelect={() => setOpened({ is: 'import' })}>
                {text.exceptions.import.open}
              </MenuItem>
            ) : null}
            <MenuItem onSelect={() => void save('json')}>{text.exceptions.export.json}</MenuItem>
            <MenuItem onSelect={() => void save('text')}>{text.exceptions.export.text}</MenuItem>
          </Menu>
        </>
      }
    >
      <UnencryptedNow open={clear} />
      <Claims claims={claims} onAnswered={listed.again} />
      <Section title={text.exceptions.title}>
        {rules.length === 0 ? null : <p className={styles.note}>{text.exceptions.namesAbout}</p>}
        {listed.value?.locked ? <Lock of={listed.value} /> : null}
        <DoneLine done={done} onUndone={listed.again} />
        {listed.failure === null ? null : (
          <p role="alert">
            <FailureWords failure={listed.failure} />
          </p>
        )}
        <RuleList
          rules={listed.value === null ? null : rules}
          open={open}
          canEdit={canEdit}
          onChange={(rule) => setOpened({ is: 'change', rule })}
          onRemove={(rule) => void remove(rule)}
        />
      </Section>
      <DaysStrip />
      <CheckName
        rules={canEdit ? rules : null}
        onChange={(rule) => setOpened({ is: 'change', rule })}
      />
      {locked ? null : <RuleDialogs opened={opened} from={from} onClose={close} onDone={changed} />}
    </PageBody>
  );
}

interface RuleDialogsProps {
  opened: Opened;
  from: string | null;
  onClose(): void;
  onDone(words: string, revision: string): void;
}

function RuleDialogs({ opened, from, onClose, onDone }: RuleDialogsProps) {
  const { text } = useWords();
  const words = text.exceptions.done;
  if (opened === null && from === null) return null;
  if (opened?.is === 'import')
    return (
      <ImportDialog onClose={onClose} onDone={(revision) => onDone(words.imported, revision)} />
    );
  if (opened?.is === 'change')
    return (
      <RuleDialog
        rule={opened.rule}
        onClose={onClose}
        onDone={(suffix, revision) => onDone(words.changed(suffix), revision)}
      />
    );
  return (
    <RuleDialog
      from={from}
      onClose={onClose}
      onDone={(suffix, revision) => onDone(words.added(suffix), revision)}
    />
  );
}

function Lock({ of: { lockedBy, reason } }: { of: ResultOf<'rule.list'> }): ReactNode {
  const { text } = useWords();
  const title =
    lockedBy === null ? text.exceptions.locked : text.exceptions.lockedBy(safe(lockedBy));
  return (
    <Notice severity="info" title={title}>
      {reason === null ? undefined : <span lang="en">{safe(reason)}</span>}
    </Notice>
  );
}

function useRuleActions(add: () => void, canEdit: boolean): readonly Action[] {
  const { text } = useWords();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it does never changes
  return useMemo(
    () => (canEdit ? [{ id: 'rule-add', label: text.exceptions.add, run: add }] : []),
    [text, canEdit],
  );
}
