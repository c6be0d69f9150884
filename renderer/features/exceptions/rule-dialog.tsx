/** Makes or changes a rule, and shows its meaning beforehand. */
import { type FormEvent, useId, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { Params } from '../../../app/contract/service-api.ts';
import {
  type BypassRule,
  nameOfRule,
  ruleText,
} from '../../../app/contract/settings/bypass-rule.ts';
import { readRuleNames } from '../../../app/contract/settings/rule-words.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input, TextArea } from '../../components/field.tsx';
import { Switch } from '../../components/switch.tsx';
import { useAsked } from '../../state/asked.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Text } from '../../text/catalogue.ts';
import { useWords } from '../../text/use-text.ts';
import { ConditionForm } from './condition-form.tsx';
import { conditionOf, fieldsOf, wrongPart } from './condition-words.ts';
import styles from './exceptions.module.css';
import { readResolvers } from './read-resolvers.ts';
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
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const form = useId();
  const [suffix, setSuffix] = useState(
    rule?.suffix ?? (from === null ? '' : suggestedSuffix(from)),
  );
  const [written, setWritten] = useState(rule?.to.join('\n') ?? '');
  const [tried, setTried] = useState(false);
  const [meant, setMeant] = useState(rule?.downgrade ?? false);
  const [holds, setHolds] = useState(fieldsOf(rule?.when));
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.exceptions.dialog;
  const { to, wrong } = readResolvers(written);
  const isName = readRuleNames(suffix.trim()) !== null;
  const toProblem = problemOfResolvers(to, wrong, words);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (!isName || toProblem || wrongPart(holds) !== null) return;
    const added = await session.call('rule.add', change());
    if (added.ok) onDone(safe(suffix.trim()), added.value.change.revision);
    else setFailure(added.failure);
  }

  function change(): Params<'rule.add'> {
    const when = conditionOf(holds, rule?.when);
    return {
      suffix: rule?.suffix ?? suffix.trim(),
      to,
      ...(when === undefined ? {} : { when }),
      ...(meant ? { downgrade: true } : {}),
      ...(rule === undefined ? {} : { replaces: nameOfRule(rule) }),
    };
  }

  return (
    <Dialog
      title={rule === undefined ? words.addTitle : words.changeTitle(safe(ruleText(rule)))}
      onClose={onClose}
      actions={
        <Button variant="main" type="submit" form={form} disabled={!live}>
          {words.save}
        </Button>
      }
    >
      <form id={form} className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        {rule === undefined ? (
          <SuffixField from={from} suffix={suffix} wrong={tried && !isName} onChange={setSuffix} />
        ) : null}
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
        <OwnResolvers without={to} onUse={(address) => setWritten([...to, address].join('\n'))} />
        <details open={rule?.when !== undefined}>
          <summary>{text.exceptions.conditionForm.title}</summary>
          <ConditionForm
            fields={holds}
            tried={tried}
            moreTimes={Math.max(0, (rule?.when?.hours?.length ?? 0) - 1)}
            onChange={setHolds}
          />
        </details>
        <p className={styles.means}>{words.means}</p>
        <Meant on={meant} refused={failure} onChange={setMeant} />
        {failure === null ? null : (
          <p className={styles.failure} role="alert">
            <FailureWords failure={failure} />
          </p>
        )}
      </form>
    </Dialog>
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

interface OwnResolversProps {
  without: readonly string[];
  onUse(address: string): void;
}

/** Offers the resolvers of the present network, because most rules are for a zone of its own. */
function OwnResolvers({ without, onUse }: OwnResolversProps) {
  const { text } = useWords();
  const links = useAsked('network.show', {}).value?.links ?? [];
  const offered = [...new Set(links.flatMap(({ resolvers }) => resolvers))];
  const others = offered.filter((address) => !without.includes(address));
  if (others.length === 0) return null;
  return (
    <p className={styles.own}>
      {text.exceptions.dialog.own}
      {others.map((address) => (
        <Button
          key={address}
          aria-label={text.exceptions.dialog.use(safe(address))}
          onClick={() => onUse(address)}
        >
          <code>{safe(address)}</code>
        </Button>
      ))}
    </p>
  );
}
