/** What would happen to a name: the engine's own policy answers, without a query to a server. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { type BypassRule, isRuleOf } from '../../../app/contract/settings/bypass-rule.ts';
import type { Explanation } from '../../../app/contract/settings/rule-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input } from '../../components/field.tsx';
import { Facts, Section } from '../../components/page-body.tsx';
import { goTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Text } from '../../text/catalogue.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { tellers } from './claims.tsx';
import styles from './exceptions.module.css';
import { whichSentence } from './which-sentence.ts';

interface CheckNameProps {
  /** null: they can't be changed here */
  rules: readonly BypassRule[] | null;
  onChange(rule: BypassRule): void;
}

export function CheckName({ rules, onChange }: CheckNameProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [name, setName] = useState('');
  const [type, setType] = useState('A');
  const [said, setSaid] = useState<Explanation | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.exceptions.explain;

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (name.trim() === '') return;
    const wanted = type.trim().toUpperCase() || 'A';
    const explained = await session.call('rule.explain', { name: name.trim(), type: wanted });
    setSaid(explained.ok ? explained.value : null);
    setFailure(explained.ok ? null : explained.failure);
  }

  return (
    <Section title={words.title}>
      <form className={styles.ask} onSubmit={(event) => void ask(event)}>
        <div className={styles.name}>
          <Field label={words.name} hint={words.note}>
            {(attributes) => (
              <Input
                {...attributes}
                value={name}
                maxLength={1024}
                onChange={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <div className={styles.type}>
          <Field label={words.type}>
            {(attributes) => (
              <Input
                {...attributes}
                value={type}
                maxLength={20}
                onChange={(event) => setType(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <Button className={styles.tell} type="submit" disabled={!live || name.trim() === ''}>
          {words.ask}
        </Button>
      </form>
      <div role="status" className={styles.said}>
        {failure === null ? null : <FailureWords failure={failure} />}
        {said === null ? null : <Said said={said} />}
        {said === null || rules === null ? null : (
          <NextStep said={said} rules={rules} onChange={onChange} />
        )}
      </div>
    </Section>
  );
}

function Said({ said }: { said: Explanation }) {
  const { text } = useWords();
  const words = text.exceptions.explain;
  const { clear, rule } = said;
  const sentence = whichSentence(said);
  const isKept = sentence === 'cached' || sentence === 'denied';
  const isBypass = sentence === 'bypass';
  const servers = isKept ? [] : said.servers.map(safe);
  return (
    <>
      <h3 className="spoken">{words.result}</h3>
      <p className={styles.sentence}>
        <Rich
          of={words.sentences[sentence]}
          query={
            <strong>
              {safe(said.name)} {safe(said.type)}
            </strong>
          }
          servers={<strong>{isBypass ? servers.join(words.next) : servers[0]}</strong>}
          rule={<code>{safe(rule)}</code>}
          clear={<strong className={styles.clear}>{text.home.inCleartext}</strong>}
          state={clear === 'off' ? words.states.off : words.states.paused}
        />
      </p>
      <details>
        <summary>{words.details}</summary>
        <Facts
          of={[
            [words.rule, rule === '' ? words.noRule : <code key="rule">{safe(rule)}</code>],
            ...learnedFrom(said, words),
            ...saidWhy(said, words),
            ...judged(said, words),
            [words.servers, servers.length === 0 ? words.nobody : servers.join(', ')],
            ...ofGroup(said, words),
            [words.leaves, <Leaves key="leaves" clear={clear} />],
            [words.kept, words.keptAs[said.cached ?? 'none']],
          ]}
        />
      </details>
    </>
  );
}

interface NextStepProps extends CheckNameProps {
  said: Explanation;
  rules: readonly BypassRule[];
}

/** The change that a person may want after what was said. */
function NextStep({ said, rules, onChange }: NextStepProps) {
  const { text } = useWords();
  const words = text.exceptions.explain;
  const rule = rules.find((one) => isRuleOf(said.rule, one));
  if (rule !== undefined)
    return (
      <div>
        <Button onClick={() => onChange(rule)}>{words.change}</Button>
      </div>
    );
  if (said.rule !== '' || said.clear !== 'none') return null;
  return (
    <div>
      <Button onClick={() => goTo('exceptions', { bypass: said.name })}>{words.elsewhere}</Button>
    </div>
  );
}

function Leaves({ clear }: Pick<Explanation, 'clear'>) {
  const { text } = useWords();
  if (clear === 'none') return text.exceptions.explain.staysPrivate;
  return <Chip tone="exposed">{text.home.open.classes[clear]}</Chip>;
}

type Words = Text['exceptions']['explain'];
type Fact = [name: string, value: ReactNode];

function saidWhy({ reason, rcode }: Explanation, words: Words): Fact[] {
  const sentence = (
    <span key="why" lang="en">
      {safe(reason)}
    </span>
  );
  return [
    ...(reason === '' ? [] : [[words.why, sentence] satisfies Fact]),
    ...(rcode === null ? [] : [[words.rcode, safe(rcode)] satisfies Fact]),
  ];
}

function judged({ conditions }: Explanation, words: Words): Fact[] {
  return conditions.map(({ of, name, fit }) => [
    words.conditionOf[of](of === 'refuse-for' ? String(Number(name) + 1) : safe(name)),
    words.fits[fit],
  ]);
}

function ofGroup({ group }: Explanation, words: Words): Fact[] {
  if (group === null) return [];
  const { id, policy } = group;
  const named: Fact = [words.group, id === '' ? words.defaultGroup : safe(id)];
  return policy === null ? [named] : [named, [words.policy, words.policies[policy]]];
}

function learnedFrom({ origin }: Explanation, words: Words): Fact[] {
  return origin?.from === 'link'
    ? [[words.origin, words.fromLink(safe(origin.link), tellers[origin.by])]]
    : [];
}
