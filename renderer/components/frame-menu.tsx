/** The menu of the frame: the pages that are not in its bar, the language and the appearance. */
import { pages } from '../features/pages.ts';
import {
  appearance,
  appearances,
  language,
  setAppearance,
  setLanguage,
} from '../state/appearance.ts';
import { goTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { type Language, languages } from '../text/catalogue.ts';
import { useWords } from '../text/use-text.ts';
import { Menu, MenuChoice, MenuItem, MenuLine } from './menu.tsx';
import styles from './page-frame.module.css';

export function FrameMenu({ current }: { current: string }) {
  const { text } = useWords();
  const spoken = useStore(language);
  const look = useStore(appearance);
  const words = text.frame.view;
  return (
    <Menu bare variant="quiet" label={<Gear />} aria-label={words.title}>
      {pages
        .filter(({ place }) => place === 'menu')
        .map(({ name }) => (
          <MenuItem key={name} isCurrent={name === current} onSelect={() => goTo(name)}>
            {text.frame.pages[name]}
          </MenuItem>
        ))}
      <MenuLine />
      <MenuChoice
        label={words.language}
        value={spoken}
        options={Object.entries(languages) as [Language, string][]}
        onChoose={(one) => void setLanguage(one)}
      />
      <MenuChoice
        label={words.appearance}
        value={look}
        options={appearances.map((one) => [one, words.appearances[one]] as const)}
        onChoose={setAppearance}
      />
    </Menu>
  );
}

function Gear() {
  return (
    <svg className={styles.gear} viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
      <circle cx="12" cy="12" r="3" />
      <path d={rim} />
    </svg>
  );
}

const rim =
  'M10.3 3.5h3.4l.5 2.4 1.7 1 2.3-.8 1.7 2.9-1.8 1.6v2l1.8 1.6-1.7 2.9-2.3-.8-1.7 1-.5 2.4h-3.4l-.5-2.4-1.7-1-2.3.8-1.7-2.9 1.8-1.6v-2L4.1 9l1.7-2.9 2.3.8 1.7-1z';
