/** Makes or changes a rule with its condition, and shows its meaning beforehand. */
import { type FormEvent, useId, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { type BypassRule, nameOfRule } from '../../../app/contract/settings/bypass-rule.ts';
import { asciiWord, readRuleNames } from '../../../app/contract/settings/rule-words.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input, TextArea } from '../../components/field.tsx';
import { Switch } from '../../components/switch.tsx';
import { useLive, useService } from '../../state/service.ts';
import type { Text } from '../../text/catalogue.ts';
import { useWords } from '../../text/use-text.ts';
import { draftOf, problemsOf, readCondition } from './condition-draft.ts';
import { ConditionForm } from './condition-form.tsx';
import styles from './exceptions.module.css';
import { OfferedResolvers, useOffered } from './offered-resolvers.tsx';
import { readResolvers } from './read-resolvers.ts';
import { ruleWords } from './rule-in-words.ts';
import { suggestedSuffix } from './suggested-suffix.ts';

interface RuleDialogProps {
  /** the rule to change; absent: a new one */
  rule?: BypassRule;
  /** the name to bypass, from another page */
  from?: string | null;
  onClose(): void;
  /** `suffix` is harmless to show */
  onDone(suffix: string, revision: string): void;
}

export function RuleDialog({ rule, from = null, onClose, onDone }: RuleDialogProps) {
  const spoken = useWords();
  const { text } = spoken;
  const { session } = useService();
  const live = useLive();
  const form = useId();
  const offered = useOffered();
  const [suffix, setSuffix] = useState(rule?.suffix ?? suggestedSuffix(from ?? ''));
  const [typed, setWritten] = useState(rule?.to.join('\n') ?? null);
  const [condition, setCondition] = useState(() => draftOf(rule?.when));
  const [tried, setTried] = useState(false);
  const [meant, setMeant] = useState(rule?.downgrade ?? false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.exceptions.dialog;
  const written = typed ?? offered.likely ?? '';
  const { to, wrong } = readResolvers(written);
  const problems = problemsOf(condition);
  const isName = readRuleNames(asciiWord(suffix.trim())) !== null;
  const toProblem = problemOfResolvers(to, wrong, words);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (!isName || toProblem || problems.length > 0) return;
    const when = readCondition(condition);
    const named = { suffix: suffix.trim(), ...(when === undefined ? {} : { when }) };
    const added = await session.call('rule.add', {
      ...asMeant({ ...named, to }, meant),
      ...(rule === undefined ? {} : { replaces: nameOfRule(rule) }),
    });
    if (added.ok) onDone(ruleWords(named, spoken), added.value.change.revision);
    else setFailure(added.failure);
  }

  return (
    <Dialog
      title={rule === undefined ? words.addTitle : words.changeTitle(ruleWords(rule, spoken))}
      onClose={onClose}
      actions={
        <Button variant="main" type="submit" form={form} disabled={!live}>
          {words.save}
        </Button>
      }
    >
      <form id={form} className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        <SuffixField from={from} suffix={suffix} wrong={tried && !isName} onChange={setSuffix} />
        <Field label={words.to} hint={words.toHint} problem={tried ? toProblem : null}>
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={3}
              value={written}
              onChange={(event) => setWritten(event.currentTarget.value)}
            />
          )}
        </Field>
        <OfferedResolvers
          of={offered.all.filter((address) => !to.includes(address))}
          onUse={(address) => setWritten([...to, address].join('\n'))}
        />
        <ConditionForm draft={condition} problems={tried ? problems : []} onChange={setCondition} />
        <p className={styles.means}>{words.means}</p>
        <Meant on={meant} refused={failure} onChange={setMeant} />
        <Refused failure={failure} />
      </form>
    </Dialog>
  );
}

function Refused({ failure }: { failure: Failure | null }) {
  const { text } = useWords();
  if (failure === null) return null;
  return (
    <p className={styles.failure} role="alert">
      {failure.code === 'forbidden' ? (
        text.exceptions.dialog.onlyAdministrator
      ) : (
        <FailureWords failure={failure} />
      )}
    </p>
  );
}

interface SuffixFieldProps {
  from: string | null;
  suffix: string;
  wrong: boolean;
  onChange(suffix: string): void;
}

function SuffixField({ from, suffix, wrong, onChange }: SuffixFieldProps) {
  const { text } = useWords();
  const words = text.exceptions.dialog;
  return (
    <Field
      label={words.suffix}
      hint={from === null ? words.suffixHint : words.suffixFrom(safe(from))}
      problem={wrong ? words.suffixProblem : null}
    >
      {(attributes) => (
        <Input
          {...attributes}
          value={suffix}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function problemOfResolvers(
  to: readonly string[],
  wrong: string | null,
  words: Text['exceptions']['dialog'],
): string | null {
  if (to.length === 0) return words.toMissing;
  return wrong && words.toProblem(safe(wrong));
}

function asMeant(rule: BypassRule, downgrade: boolean): BypassRule {
  return downgrade ? { ...rule, downgrade } : rule;
}

interface MeantProps {
  on: boolean;
  /** why the service refused the rule */
  refused: Failure | null;
  onChange(on: boolean): void;
}

/** Shown only for rules that are a downgrade, which the service decides. */
function Meant({ on, refused, onChange }: MeantProps) {
  const { text } = useWords();
  const isWide = on || refused?.message.includes('"downgrade": true');
  return isWide ? (
    <Switch label={text.exceptions.dialog.downgrade} on={on} onChange={onChange} />
  ) : null;
}
