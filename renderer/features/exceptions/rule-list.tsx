/** The rules, how many queries each let through, and actions for each. */

import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { type BypassRule, isRuleOf, ruleText } from '../../../app/contract/settings/bypass-rule.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import { sayCondition } from './condition-words.ts';
import styles from './exceptions.module.css';

interface RuleListProps {
  /** null: not known yet */
  rules: readonly BypassRule[] | null;
  /** open entries of the ledger that belong to rules */
  open: readonly LedgerEntry[];
  canEdit: boolean;
  onChange(rule: BypassRule): void;
  onRemove(rule: BypassRule): void;
}

export function RuleList({ rules, open, canEdit, onChange, onRemove }: RuleListProps) {
  const words = useWords();
  const { text } = words;
  if (rules === null) return <p>{text.frame.loading}</p>;
  if (rules.length === 0)
    return <EmptyState title={text.exceptions.none}>{text.exceptions.noneWhy}</EmptyState>;
  return (
    <Rows label={text.exceptions.title}>
      {rules.map((rule) => {
        const suffix = safe(ruleText(rule));
        return (
          <Row key={ruleText(rule)}>
            <code className={styles.suffix}>{safe(rule.suffix)}</code>
            <span className={styles.to}>
              {rule.to.map(safe).join(', ')}
              {rule.when === undefined ? null : (
                <span>{text.exceptions.when(sayCondition(rule.when, words))}</span>
              )}
            </span>
            <Count entry={open.find((entry) => isRuleOf(entry.rule, rule))} />
            <span className={styles.buttons}>
              <Button
                variant="quiet"
                disabled={!canEdit}
                aria-label={text.exceptions.changeOf(suffix)}
                onClick={() => onChange(rule)}
              >
                {text.exceptions.change}
              </Button>
              <Button
                variant="quiet"
                disabled={!canEdit}
                aria-label={text.exceptions.removeOf(suffix)}
                onClick={() => onRemove(rule)}
              >
                {text.exceptions.remove}
              </Button>
            </span>
          </Row>
        );
      })}
    </Rows>
  );
}

function Count({ entry }: { entry: LedgerEntry | undefined }) {
  const { text, formats } = useWords();
  if (entry === undefined || entry.count === null) return <span className={styles.count} />;
  return (
    <a className={styles.count} href={linkTo('ledger', { class: 'bypass' })}>
      {text.exceptions.inCleartext(formats.count(entry.count), entry.count === 1)}
    </a>
  );
}
