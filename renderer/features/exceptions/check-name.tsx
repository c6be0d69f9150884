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
import { Reason } from '../../components/told.tsx';
import { useLive, useService } from '../../state/service.ts';
import type { Text } from '../../text/catalogue.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { tellers, useAnswer } from './claims.tsx';
import type { Done } from './done-line.tsx';
import styles from './exceptions.module.css';
import { whichSentence } from './which-sentence.ts';

interface CheckNameProps {
  rules: readonly BypassRule[];
  canEdit: boolean;
  onElsewhere(name: string): void;
  onRemove(rule: BypassRule): void;
  /** a claim was answered */
  onAnswered(done: Done): void;
}

export function CheckName(props: CheckNameProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [name, setName] = useState('');
  const [said, setSaid] = useState<Explanation | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.exceptions.explain;

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault();
    const { name: asked, type } = readAsked(name);
    if (asked === '') return;
    const explained = await session.call('rule.explain', { name: asked, type });
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
        <Button className={styles.tell} type="submit" disabled={!live || name.trim() === ''}>
          {words.ask}
        </Button>
      </form>
      <div role="status" className={styles.said}>
        {failure === null ? null : <FailureWords failure={failure} />}
        {said === null ? null : <Said said={said} />}
      </div>
      {said === null ? null : (
        <div className={styles.said}>
          <Change said={said} {...props} onChanged={() => setSaid(null)} />
          <Decided said={said} />
        </div>
      )}
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
              {safe(said.name)}
              {said.type === 'A' ? null : ` ${safe(said.type)}`}
            </strong>
          }
          servers={<strong>{isBypass ? servers.join(words.next) : servers[0]}</strong>}
          rule={<code>{safe(rule)}</code>}
          clear={<strong className={styles.clear}>{text.home.inCleartext}</strong>}
          state={clear === 'off' ? words.states.off : words.states.paused}
        />
      </p>
    </>
  );
}

/** What decided it, for those who want to know. */
function Decided({ said }: { said: Explanation }) {
  const words = useWords().text.exceptions.explain;
  const { clear, rule } = said;
  const sentence = whichSentence(said);
  const servers = sentence === 'cached' || sentence === 'denied' ? [] : said.servers.map(safe);
  return (
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
  );
}

function Leaves({ clear }: Pick<Explanation, 'clear'>) {
  const { text } = useWords();
  if (clear === 'none') return text.exceptions.explain.staysPrivate;
  return <Chip tone="exposed">{text.home.open.classes[clear]}</Chip>;
}

interface ChangeProps extends CheckNameProps {
  said: Explanation;
  onChanged(): void;
}

/** The one thing to do about the answer. */
function Change({ said, rules, canEdit, ...on }: ChangeProps) {
  const { text } = useWords();
  const live = useLive();
  const answer = useAnswer(on.onAnswered);
  const words = text.exceptions.explain;
  const rule = rules.find((one) => isRuleOf(said.rule, one));
  if (said.verdict === 'bypass' && rule !== undefined)
    return (
      <Act
        words={words.removeRule}
        disabled={!canEdit}
        onAct={() => {
          on.onChanged();
          on.onRemove(rule);
        }}
      />
    );
  if (said.verdict === 'bypass' && said.origin?.from === 'link') {
    const { link } = said.origin;
    const keep = () => answer({ suffix: said.rule, link }, false).then(on.onChanged);
    return <Act words={words.keep} disabled={!live} onAct={() => void keep()} />;
  }
  return said.verdict === 'forward' ? (
    <Act
      words={words.elsewhere}
      disabled={!canEdit}
      onAct={() => {
        on.onChanged();
        on.onElsewhere(said.name);
      }}
    />
  ) : null;
}

interface ActProps {
  words: string;
  disabled: boolean;
  onAct(): void;
}

function Act({ words, disabled, onAct }: ActProps) {
  return (
    <div>
      <Button disabled={disabled} onClick={onAct}>
        {words}
      </Button>
    </div>
  );
}

/** "corp.example AAAA": a type may follow the name. */
function readAsked(text: string): { name: string; type: string } {
  const [name = '', type = 'A'] = text.trim().split(/\s+/);
  return { name, type: type.toUpperCase() };
}

type Words = Text['exceptions']['explain'];
type Fact = [name: string, value: ReactNode];

function saidWhy({ reason, rcode }: Explanation, words: Words): Fact[] {
  return [
    ...(reason === '' ? [] : [[words.why, <Reason key="why" of={reason} />] satisfies Fact]),
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
