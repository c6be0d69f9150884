/** The value of a setting in words; of a list each item, folded where it is only one fact among many. */
import { useWords, type Words } from '../../text/use-text.ts';
import type { SettingJson } from '../settings/setting-control.ts';
import { type Declared, sayInLine } from './declared.ts';
import styles from './profiles.module.css';
import { itemsOf, sayItem } from './said-items.ts';

interface SaidValueProps {
  /** undefined: a newer service has settings that the page does not know */
  setting: Declared | undefined;
  value: SettingJson;
  /** the items of a list are shown, because somebody is to judge them */
  whole?: boolean;
}

/** A profile may have a hundred thousand names, which nobody reads. */
const mostItems = 100;

export function SaidValue({ setting, value, whole = false }: SaidValueProps) {
  const words = useWords();
  const line = sayInLine(setting, value, words);
  const items = itemsOf(value);
  if (items.length === 0) return line;
  if (whole) return <Items of={items} words={words} />;
  return (
    <details className={styles.items}>
      <summary>{line}</summary>
      <Items of={items} words={words} />
    </details>
  );
}

function Items({ of: items, words }: { of: ReturnType<typeof itemsOf>; words: Words }) {
  const { text, formats } = words;
  const rest = items.length - mostItems;
  return (
    <ul className={styles.itemList}>
      {items.slice(0, mostItems).map((item) => {
        const said = sayItem(item, words);
        return <li key={said}>{said}</li>;
      })}
      {rest > 0 ? <li>{text.profiles.effective.more(formats.count(rest))}</li> : null}
    </ul>
  );
}
