/** The rules in words, how many queries each let through, and actions for each. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { type BypassRule, isRuleOf, ruleText } from '../../../app/contract/settings/bypass-rule.ts';
import type { RestingRule } from '../../../app/contract/settings/rule-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';
import { conditionWords, ruleWords, targetWords } from './rule-in-words.ts';

interface RuleListProps {
  /** null: not known yet */
  rules: readonly BypassRule[] | null;
  /** those that do not hold here and now */
  resting: readonly RestingRule[];
  /** open entries of the ledger that belong to rules */
  open: readonly LedgerEntry[];
  canEdit: boolean;
  onChange(rule: BypassRule): void;
  onRemove(rule: BypassRule): void;
}

export function RuleList({ rules, ...rest }: RuleListProps) {
  const { text } = useWords();
  if (rules === null) return <p>{text.frame.loading}</p>;
  if (rules.length === 0)
    return (
      <EmptyState title={text.exceptions.none} level={3}>
        {text.exceptions.noneWhy}
      </EmptyState>
    );
  return (
    <Rows label={text.exceptions.title}>
      {rules.map((rule) => (
        <Rule key={ruleText(rule)} rule={rule} {...rest} />
      ))}
    </Rows>
  );
}

interface RuleProps extends Omit<RuleListProps, 'rules'> {
  rule: BypassRule;
}

function Rule({ rule, resting, open, canEdit, onChange, onRemove }: RuleProps) {
  const spoken = useWords();
  const { text } = spoken;
  const called = ruleWords(rule, spoken);
  return (
    <Row>
      <div className={styles.what}>
        <span className={styles.head}>
          <strong className={styles.names}>{safe(rule.suffix)}</strong>
          {resting.some((one) => isRuleOf(one.rule, rule)) ? (
            <Chip>{text.exceptions.rests}</Chip>
          ) : null}
        </span>
        <span className={styles.to}>
          {targetWords(rule.to, spoken)}
          {rule.when === undefined ? null : <span>, {conditionWords(rule.when, spoken)}</span>}
        </span>
        <Count entry={open.find((entry) => isRuleOf(entry.rule, rule))} />
      </div>
      <div className={styles.act}>
        <Button
          disabled={!canEdit}
          aria-label={text.exceptions.changeOf(called)}
          onClick={() => onChange(rule)}
        >
          {text.exceptions.change}
        </Button>
        <Button
          disabled={!canEdit}
          aria-label={text.exceptions.removeOf(called)}
          onClick={() => onRemove(rule)}
        >
          {text.exceptions.remove}
        </Button>
      </div>
    </Row>
  );
}

function Count({ entry }: { entry: LedgerEntry | undefined }) {
  const { text, formats } = useWords();
  if (entry === undefined || entry.count === null) return null;
  return (
    <a className={styles.count} href={linkTo('ledger', { class: 'bypass' })}>
      {text.exceptions.inCleartext(formats.count(entry.count), entry.count === 1)}
    </a>
  );
}
