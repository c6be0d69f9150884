/** How this browser or window shows the page; the service does not know it. */
import { Field, Select } from '../../components/field.tsx';
import {
  appearance,
  appearances,
  language,
  setAppearance,
  setLanguage,
} from '../../state/appearance.ts';
import { useStore } from '../../state/store.ts';
import { type Language, languages } from '../../text/catalogue.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './settings-page.module.css';

export function ViewSettings() {
  const { text } = useWords();
  const spoken = useStore(language);
  const look = useStore(appearance);
  const { view } = text.frame;
  return (
    <div className={styles.line}>
      <div>
        <h3>{text.settings.view}</h3>
        <p className={styles.quiet}>{text.settings.viewMeaning}</p>
      </div>
      <div className={styles.view}>
        <Field label={view.language}>
          {(attributes) => (
            <Select
              {...attributes}
              value={spoken}
              options={Object.entries(languages) as [Language, string][]}
              onChoose={(one) => void setLanguage(one)}
            />
          )}
        </Field>
        <Field label={view.appearance}>
          {(attributes) => (
            <Select
              {...attributes}
              value={look}
              options={appearances.map((one) => [one, view.appearances[one]] as const)}
              onChoose={setAppearance}
            />
          )}
        </Field>
      </div>
    </div>
  );
}
