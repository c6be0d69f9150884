/** The frame around every page: name, pages, commands, and whether the service responds. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { host } from '../bridge/host.ts';
import { pageKeys, pages } from '../features/pages.ts';
import { type Action, listenForKeys, useActions } from '../state/actions.ts';
import {
  appearance,
  appearances,
  language,
  setAppearance,
  setLanguage,
} from '../state/appearance.ts';
import { goTo, linkTo } from '../state/route.ts';
import { useLive, useService } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { type Language, languages, type PageName } from '../text/catalogue.ts';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { Menu, MenuChoice } from './menu.tsx';
import styles from './page-frame.module.css';
import { Palette } from './palette.tsx';
import { StateMark } from './state-mark.tsx';
import { Toasts } from './toasts.tsx';

export function PageFrame({ current, children }: { current: string; children: ReactNode }) {
  const { text } = useWords();
  const [paletteOpen, openPalette] = useState(false);
  useActions(useFrameActions());
  useEffect(() => listenForKeys(() => openPalette(true)), []);
  const live = useLive();
  const keys = host.isApple() ? '⌘K' : 'Ctrl K';
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content; the address is the route, so it stays */}
      <a className={styles.skip} href="#content" onClick={skipToPage}>
        {text.frame.skip}
      </a>
      <header className={styles.header}>
        <Name />
        <Navigation current={current} />
        <div className={styles.tools}>
          <Button
            variant="quiet"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => openPalette(true)}
          >
            {text.frame.palette.open}
            <kbd className={styles.keys}>{keys}</kbd>
          </Button>
          <View />
        </div>
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

function Name() {
  const { text } = useWords();
  const service = useService();
  const known = useStore(service.status);
  const connection = useStore(service.session.state);
  const mark = connection.is === 'connected' ? (known?.value.verdict.is ?? 'connecting') : null;
  return (
    <a className={styles.name} href={linkTo('status')}>
      <StateMark of={mark ?? 'not-responding'} size={20} />
      {text.frame.name}
    </a>
  );
}

function Navigation({ current }: { current: string }) {
  const { text } = useWords();
  const bar = useRef<HTMLElement>(null);
  // Where the pages do not fit into one line, the present one is scrolled into the middle.
  useEffect(() => {
    const line = bar.current;
    if (line === null) return;
    const fit = new ResizeObserver(() => {
      const link = line.querySelector<HTMLElement>(`[href="${linkTo(current)}"]`);
      if (link !== null)
        line.scrollLeft =
          link.offsetLeft - line.offsetLeft - (line.clientWidth - link.clientWidth) / 2;
    });
    fit.observe(line);
    return () => fit.disconnect();
  }, [current]);
  return (
    <nav ref={bar} className={styles.navigation} aria-label={text.frame.navigation}>
      {pages.map(({ name }) => (
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

function View() {
  const { text } = useWords();
  const spoken = useStore(language);
  const look = useStore(appearance);
  return (
    <Menu variant="quiet" label={text.frame.view.title}>
      <MenuChoice
        label={text.frame.view.language}
        value={spoken}
        options={Object.entries(languages) as [Language, string][]}
        onChoose={setLanguage}
      />
      <MenuChoice
        label={text.frame.view.appearance}
        value={look}
        options={appearances.map((one) => [one, text.frame.view.appearances[one]] as const)}
        onChoose={setAppearance}
      />
    </Menu>
  );
}

function useFrameActions(): readonly Action[] {
  const { text } = useWords();
  return useMemo(
    () => [
      ...pages.map(({ name }) => ({
        id: `page-${name}`,
        label: text.frame.palette.goTo(text.frame.pages[name as PageName]),
        keys: pageKeys[name],
        run: () => goTo(name),
      })),
      ...(Object.keys(languages) as Language[]).map((one) => ({
        id: `language-${one}`,
        label: text.frame.view.speak(languages[one]),
        run: () => setLanguage(one),
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
