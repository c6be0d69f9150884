/** The frame around every page: name, pages, search, and whether the service responds. */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { host } from '../bridge/host.ts';
import { pageKeys, pages } from '../features/pages.ts';
import { type Action, listenForKeys, useActions } from '../state/actions.ts';
import { appearances, setAppearance, setLanguage } from '../state/appearance.ts';
import { goTo, linkTo } from '../state/route.ts';
import { useLive, useService } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { type Language, languages } from '../text/catalogue.ts';
import { useWords } from '../text/use-text.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { FrameMenu } from './frame-menu.tsx';
import styles from './page-frame.module.css';
import { Palette } from './palette.tsx';
import { StateMark } from './state-mark.tsx';
import { Toasts } from './toasts.tsx';

interface PageFrameProps {
  current: string;
  /** without pages and search, and with a mark that claims nothing: for the first run */
  isBare?: boolean;
  children: ReactNode;
}

export function PageFrame({ current, isBare = false, children }: PageFrameProps) {
  const { text } = useWords();
  const [paletteOpen, openPalette] = useState(false);
  useActions(useFrameActions());
  useEffect(() => listenForKeys(() => openPalette(true)), []);
  const live = useLive();
  return (
    <div className={`${styles.frame} ${isBare ? styles.bare : ''}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content; the address is the route, so it stays */}
      <a className={styles.skip} href="#content" onClick={skipToPage}>
        {text.frame.skip}
      </a>
      <header className={styles.header}>
        <Name isNeutral={isBare} />
        {isBare ? null : (
          <>
            <Navigation current={current} />
            <SearchField onOpen={() => openPalette(true)} />
          </>
        )}
        <FrameMenu current={current} />
      </header>
      <ConnectionBar />
      <main id="content" className={styles.main} data-live={live} tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      {paletteOpen ? <Palette onClose={() => openPalette(false)} /> : null}
    </div>
  );
}

function Name({ isNeutral }: { isNeutral: boolean }) {
  const { text } = useWords();
  const service = useService();
  const known = useStore(service.status);
  const connection = useStore(service.session.state);
  const mark = connection.is === 'connected' ? (known?.value.verdict.is ?? 'connecting') : null;
  return (
    <a className={styles.name} href={linkTo('home')}>
      <StateMark of={isNeutral ? 'not-responding' : (mark ?? 'not-responding')} size={20} />
      {text.frame.name}
    </a>
  );
}

function Navigation({ current }: { current: string }) {
  const { text } = useWords();
  return (
    <nav className={styles.navigation} aria-label={text.frame.navigation}>
      {pages
        .filter(({ place }) => place === 'bar')
        .map(({ name }) => (
          <a
            key={name}
            href={linkTo(name)}
            aria-current={name === current ? 'page' : undefined}
            aria-keyshortcuts={pageKeys[name]}
          >
            {text.frame.pages[name]}
          </a>
        ))}
    </nav>
  );
}

/** A button with the look of a field: what is typed is typed into the palette. */
function SearchField({ onOpen }: { onOpen(): void }) {
  const { text } = useWords();
  return (
    <button
      type="button"
      className={styles.search}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
    >
      <svg className={styles.lens} viewBox="0 0 24 24" width={18} height={18} aria-hidden="true">
        <path d="M18 11a7 7 0 1 1-14 0a7 7 0 1 1 14 0zM20 20l-4-4" />
      </svg>
      <span className={styles.searchWords}>{text.frame.palette.open}</span>
      <kbd className={styles.keys}>{host.isApple() ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}

function useFrameActions(): readonly Action[] {
  const { text } = useWords();
  return useMemo(
    () => [
      ...pages.map(({ name }) => ({
        id: `page-${name}`,
        label: text.frame.palette.goTo(text.frame.pages[name]),
        keys: pageKeys[name],
        run: () => goTo(name),
      })),
      ...(Object.keys(languages) as Language[]).map((one) => ({
        id: `language-${one}`,
        label: text.frame.view.speak(languages[one]),
        run: () => void setLanguage(one),
      })),
      ...appearances.map((one) => ({
        id: `appearance-${one}`,
        label: text.frame.view.look(text.frame.view.appearances[one]),
        run: () => setAppearance(one),
      })),
    ],
    [text],
  );
}

/** The route uses the fragment, so the browser can't jump to an element by itself. */
function skipToPage(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
