/** Shows the page that the address names, inside the frame, in the chosen language. */
import { Component, lazy, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { host } from './bridge/host.ts';
import { Button } from './components/button.tsx';
import { EmptyState } from './components/empty-state.tsx';
import { PageFrame } from './components/page-frame.tsx';
import { firstRunRoute } from './features/first-run/first-run.ts';
import { OfferFirstRun } from './features/first-run/offer-first-run.tsx';
import { pages } from './features/pages.ts';
import { ProtectDialog } from './features/protect/protect-dialog.tsx';
import { appearance, language } from './state/appearance.ts';
import { goTo, useRoute } from './state/route.ts';
import { type Service, ServiceContext } from './state/service.ts';
import { useStore } from './state/store.ts';
import { useWords, WordsContext, wordsIn } from './text/use-text.ts';

/** Not among the pages of the navigation: other parts lead to it. */
const FirstRunPage = lazy(() =>
  import('./features/first-run/first-run-page.tsx').then((file) => ({
    default: file.FirstRunPage,
  })),
);

export function App({ service }: { service: Service }) {
  const spoken = useStore(language);
  const words = useMemo(() => wordsIn(spoken, host.languages()), [spoken]);
  return (
    <ServiceContext value={service}>
      <WordsContext value={words}>
        <Routed />
      </WordsContext>
    </ServiceContext>
  );
}

function Routed() {
  const { text, language: spoken } = useWords();
  const look = useStore(appearance);
  const named = useRoute().page || 'home';
  const page = pages.find(({ name }) => name === named);
  const isFirstRun = named === firstRunRoute;
  const heading = isFirstRun ? text.firstRun.title : page && text.frame.pages[page.name];
  const title = heading === undefined ? text.frame.name : text.frame.title(heading);
  useEffect(() => host.tell(title, spoken, look), [title, spoken, look]);
  return (
    <PageFrame current={named} isBare={isFirstRun}>
      <OfferFirstRun />
      <ProtectDialog onPage={isFirstRun} />
      <Guard key={named}>
        <Suspense fallback={<EmptyState level={1} title={text.frame.loading} />}>
          {page === undefined ? null : <page.component />}
          {isFirstRun ? <FirstRunPage /> : null}
          {page === undefined && !isFirstRun ? <UnknownPage /> : null}
        </Suspense>
      </Guard>
    </PageFrame>
  );
}

function UnknownPage() {
  const { text } = useWords();
  return (
    <EmptyState
      level={1}
      title={text.frame.unknownPage.title}
      actions={
        <Button variant="main" onClick={() => goTo('home')}>
          {text.frame.unknownPage.back}
        </Button>
      }
    />
  );
}

/** A page with a defect does not take the others with it. */
class Guard extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return <Broken onAgain={() => this.setState({ broken: false })} />;
  }
}

function Broken({ onAgain }: { onAgain(): void }) {
  const { text } = useWords();
  return (
    <EmptyState
      level={1}
      title={text.frame.broken.title}
      actions={<Button onClick={onAgain}>{text.frame.broken.again}</Button>}
    >
      {text.frame.broken.text}
    </EmptyState>
  );
}
