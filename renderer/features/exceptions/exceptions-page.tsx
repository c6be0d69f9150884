/** Exceptions: what may leave unencrypted, now, by rule and in the past, and what would happen to any name. */
import { type ComponentProps, type ReactNode, useMemo, useState } from 'react';
import type { Params, ResultOf } from '../../../app/contract/service-api.ts';
import { type BypassRule, nameOfRule } from '../../../app/contract/settings/bypass-rule.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { type Asked, useAsked } from '../../state/asked.ts';
import { showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { CheckName } from './check-name.tsx';
import { KnownClaims, WaitingClaims } from './claims.tsx';
import { DaysStrip } from './days-strip.tsx';
import { type Done, DoneLine } from './done-line.tsx';
import styles from './exceptions.module.css';
import { ImportDialog } from './import-dialog.tsx';
import { InForce } from './in-force.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { ruleWords } from './rule-in-words.ts';
import { RuleList } from './rule-list.tsx';

type Opened =
  | { is: 'add'; name?: string }
  | { is: 'change'; rule: BypassRule }
  | { is: 'import' }
  | null;

export function ExceptionsPage() {
  const spoken = useWords();
  const { text } = spoken;
  const { session, status } = useService();
  const live = useLive();
  const now = useStore(status)?.value ?? null;
  const open = now?.clear.filter(({ rule }) => rule !== '') ?? [];
  const listed = useAsked('rule.list', {}, whatChanges(now));
  const from = useRoute().query.get('bypass');
  const [opened, setOpened] = useState<Opened>(null);
  const [done, setDone] = useState<Done | null>(null);
  const locked = listed.value?.locked ?? true;
  const canEdit = live && !locked;
  const rules = listed.value?.rules ?? [];
  const claims = listed.value?.claims ?? [];
  useActions(useRuleActions(() => setOpened({ is: 'add' }), canEdit));

  function close(): void {
    setOpened(null);
    if (from !== null) showInstead('exceptions');
  }

  function told(one: Done): void {
    setDone(one);
    listed.again();
  }

  function changed(words: string, revision: string, removed = false): void {
    close();
    told({ words, undo: { revision }, removed });
  }

  async function remove(rule: BypassRule): Promise<void> {
    const removed = await session.call('rule.remove', nameOfRule(rule));
    if (!removed.ok) return tellFailure(removed.failure);
    changed(
      text.exceptions.done.removed(ruleWords(rule, spoken)),
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
      <DoneLine done={done} onUndone={listed.again} />
      <InForce
        entries={now?.clear ?? null}
        rules={rules}
        locked={locked}
        onRemove={(rule) => void remove(rule)}
        onStopped={(words) => told({ words, undo: null, removed: true })}
      />
      <WaitingClaims claims={claims} onAnswered={told} />
      <RuleSection
        of={listed}
        onAnswered={told}
        open={open}
        canEdit={canEdit}
        onChange={(rule) => setOpened({ is: 'change', rule })}
        onRemove={(rule) => void remove(rule)}
      />
      <DaysStrip />
      <CheckName
        rules={rules}
        canEdit={canEdit}
        onElsewhere={(name) => setOpened({ is: 'add', name })}
        onRemove={(rule) => void remove(rule)}
        onAnswered={told}
      />
      {locked ? null : <RuleDialogs opened={opened} from={from} onClose={close} onDone={changed} />}
    </PageBody>
  );
}

/** Every rule has an open entry, and a new one when it changes, which shows changes by others. */
function whatChanges(status: ServiceStatus | null): string {
  const open = status?.clear.filter(({ rule }) => rule !== '') ?? [];
  const claimed = status?.health.filter(({ code }) => code === 'names-claimed') ?? [];
  return [...open.map(({ id }) => id), ...claimed.map(({ subject }) => subject)].join();
}

interface RuleSectionProps extends Omit<ComponentProps<typeof RuleList>, 'rules' | 'resting'> {
  of: Asked<ResultOf<'rule.list'>>;
  /** a claim was answered */
  onAnswered(done: Done): void;
}

function RuleSection({ of: { value, failure }, onAnswered, ...rest }: RuleSectionProps) {
  const { text } = useWords();
  return (
    <Section title={text.exceptions.title}>
      <p className={styles.note}>{text.exceptions.titleAbout}</p>
      {value?.locked ? <Lock of={value} /> : null}
      {failure === null ? null : (
        <p role="alert">
          <FailureWords failure={failure} />
        </p>
      )}
      <RuleList rules={value?.rules ?? null} resting={value?.resting ?? []} {...rest} />
      <KnownClaims claims={value?.claims ?? []} onAnswered={onAnswered} />
    </Section>
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
      from={opened?.name ?? from}
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
      {reason === null ? undefined : safe(reason)}
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
