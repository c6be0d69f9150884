/** One permission: its purpose, how often it was used, and who gave it. */
import type { ReactNode } from 'react';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { rulesInList } from '../../../app/contract/protection/list-word.ts';
import { noNetwork } from '../../../app/contract/system/no-network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Chip } from '../../components/chip.tsx';
import { Facts } from '../../components/page-body.tsx';
import { Row } from '../../components/rows.tsx';
import { Ending } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { Rich } from '../../text/rich.tsx';
import { wordsForSetter } from '../../text/said.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './ledger.module.css';
import { rowsBehind } from './rows-behind.ts';
import { StopEntry } from './stop-entry.tsx';

export function Entry({ entry }: { entry: LedgerEntry }) {
  const { text } = useWords();
  const { group, rule, network, networkLabel, closed } = entry;
  const isOpen = closed === null;
  const isAnywhere = networkLabel === '' || network === noNetwork;
  const where = isAnywhere ? text.ledger.anyNetwork : safe(networkLabel);
  return (
    <Row>
      <div className={styles.entry}>
        <div className={styles.head}>
          <Chip tone={isOpen ? 'exposed' : 'quiet'}>{text.home.open.classes[entry.class]}</Chip>
          {rule === '' ? null : <About rule={rule} />}
          {group === '' ? null : (
            <span className={styles.subject}>{text.ledger.group(safe(group))}</span>
          )}
          <Count entry={entry} />
        </div>
        {isOpen ? <Terms entry={entry} where={where} /> : <Summary entry={entry} where={where} />}
        {isOpen ? <StopEntry entry={entry} /> : null}
      </div>
    </Row>
  );
}

function About({ rule }: { rule: string }) {
  const { text, formats } = useWords();
  const rules = rulesInList(rule);
  return rules === null ? (
    <code className={styles.subject}>{safe(rule)}</code>
  ) : (
    <span className={styles.subject}>{text.ledger.list(formats.count(rules))}</span>
  );
}

interface EntryProps {
  entry: LedgerEntry;
  /** the network's name, made harmless */
  where: string;
}

/** The details of an open entry, one by one. */
function Terms({ entry, where }: EntryProps) {
  const { reason, who, since, until } = entry;
  const { text, formats } = useWords();
  const labels = text.ledger.facts;
  return (
    <Facts
      of={[
        ...(reason === '' ? [] : [[labels.why, <Reason key="why" of={entry} />] as const]),
        [labels.who, <Who key="who" of={who} />],
        [labels.network, where],
        [labels.since, formats.dateTime(since)],
        [labels.until, <Until key="until" until={until} />],
      ]}
    />
  );
}

/** One line for an entry that has ended, because there may be hundreds. */
function Summary({ entry, where }: EntryProps) {
  const { reason, who, since, until, closed } = entry;
  const { text, formats } = useWords();
  const words = text.ledger.summary;
  const from = formats.dateTime(since);
  return (
    <>
      {reason === '' ? null : (
        <p>
          <Reason of={entry} />
        </p>
      )}
      <p className={styles.quiet}>
        {until === null ? words.from(from) : words.span(from, formats.dateTime(until))} ·{' '}
        <Rich of={words.by} who={<Who of={who} />} where={where} /> ·{' '}
        <Rich of={words.ended} why={<Ending of={closed ?? ''} />} />
      </p>
    </>
  );
}

/** The whole reason where the page has it in the reader's language, else the purpose of its class. */
function Reason({ of }: { of: LedgerEntry }): ReactNode {
  const { text, language } = useWords();
  return language === 'en' ? safe(of.reason) : text.ledger.means[of.class];
}

function Who({ of }: { of: string }): ReactNode {
  return wordsForSetter(of, useWords().language);
}

function Count({ entry }: { entry: LedgerEntry }) {
  const { text, formats } = useWords();
  const { count } = entry;
  if (count === null) return <span className={styles.quiet}>{text.ledger.uncounted}</span>;
  const counted = text.ledger.counted(formats.count(count), count === 1);
  if (count === 0) return <span>{counted}</span>;
  return (
    <a
      href={linkTo('queries', { filter: rowsBehind(entry) })}
      aria-label={text.ledger.rows(counted)}
    >
      {counted}
    </a>
  );
}

function Until({ until }: { until: number | null }) {
  const { text } = useWords();
  return until === null ? text.ledger.noEnd : <Countdown until={until} />;
}

function Countdown({ until }: { until: number }) {
  const { text, formats } = useWords();
  const now = useNow();
  return `${formats.dateTime(until)} (${text.ledger.left(formats.countdown(until - now))})`;
}
