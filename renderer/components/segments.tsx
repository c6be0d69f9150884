/** One of a few, side by side. */
import styles from './segments.module.css';

interface SegmentsProps<Option extends string> {
  /** what is chosen, for those who can't see it */
  title: string;
  options: readonly Option[];
  labels: Record<Option, string>;
  /** null: none of these */
  chosen: Option | null;
  onChoose(option: Option): void;
}

export function Segments<Option extends string>(props: SegmentsProps<Option>) {
  const { title, options, labels, chosen, onChoose } = props;
  return (
    <fieldset className={styles.segments} aria-label={title}>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === chosen}
          onClick={() => onChoose(option)}
        >
          {labels[option]}
        </button>
      ))}
    </fieldset>
  );
}
