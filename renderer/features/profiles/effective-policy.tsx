/** What holds: of each setting the value, whose word it is and why, until when, and what would hold without it. */
import { useState } from 'react';
import type { StatedLayer } from '../../../app/contract/settings/profile-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { LockMark } from '../../components/lock-line.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { useOtherWords } from '../settings/use-other-words.ts';
import { type AllDeclared, nameOfSetting, sayInLine } from './declared.ts';
import { findStated } from './find-stated.ts';
import styles from './profiles.module.css';
import { SaidValue } from './said-value.tsx';
import type { Stated } from './use-profile.ts';

interface EffectivePolicyProps {
  stated: Stated;
  declared: AllDeclared;
}

export function EffectivePolicy({ stated, declared }: EffectivePolicyProps) {
  const { text, formats, language } = useWords();
  const [typed, setTyped] = useState('');
  const [all, showAll] = useState(false);
  const isSearched = typed.trim() !== '';
  const others = useOtherWords(isSearched);
  const words = text.profiles.effective;
  const set = stated.filter(({ layers }) => layers.length > 1);
  const found = isSearched
    ? findStated(stated, typed, { declared, language, others })
    : all
      ? stated
      : set;
  return (
    <section className={styles.effective} aria-labelledby="effective">
      <div className={styles.head}>
        <h2 id="effective">{words.title}</h2>
        <search className={styles.search}>
          <Input
            type="search"
            aria-label={words.search}
            placeholder={words.search}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <output className={styles.found}>
            {isSearched ? words.found(formats.count(found.length), found.length === 1) : ''}
          </output>
        </search>
      </div>
      {found.length === 0 ? <p>{isSearched ? words.notFound : words.none}</p> : null}
      {found.length === 0 ? null : (
        <Rows label={words.list}>
          {found.map((one) => (
            <Line key={one.key} of={one} declared={declared} />
          ))}
        </Rows>
      )}
      {isSearched || all || stated.length === set.length ? null : (
        <div className={styles.actions}>
          <Button onClick={() => showAll(true)}>{words.all(formats.count(stated.length))}</Button>
        </div>
      )}
    </section>
  );
}

function Line({ of, declared }: { of: Stated[number]; declared: AllDeclared }) {
  const spoken = useWords();
  const { text } = spoken;
  const { key, layers, without } = of;
  const setting = declared.get(key);
  const now = layers.find(({ inForce }) => inForce);
  if (now === undefined) return null;
  return (
    <Row>
      <div className={styles.line}>
        <div>
          <h3>{nameOfSetting(key, declared, spoken)}</h3>
          <code className={styles.quiet}>{safe(key)}</code>
        </div>
        <div className={styles.value}>
          <SaidValue setting={setting} value={now.value} />
        </div>
        <div className={styles.source}>
          <Source of={now} />
          {now.layer === 'default' ? null : (
            <p>
              <Rich
                of={text.profiles.effective.without}
                value={sayInLine(setting, without, spoken)}
              />
            </p>
          )}
        </div>
      </div>
    </Row>
  );
}

function Source({ of: { layer, name, lock, reason, until } }: { of: StatedLayer }) {
  const { text, formats } = useWords();
  const words = text.profiles.effective;
  const isLocked = lock === 'locked' || lock === 'hidden';
  return (
    <p className={styles.whose}>
      {isLocked ? <LockMark /> : null}
      <span>
        <Rich of={words.layers[layer]} who={<strong>{safe(name ?? '')}</strong>} />
        {reason === null ? '' : `: ${safe(reason)}`}
        {until === null ? null : <>, {words.until(formats.dateAndMinute(until))}</>}
      </span>
    </p>
  );
}
