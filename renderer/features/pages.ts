/** All pages, in the order of their keys. */
import { type ComponentType, lazy } from 'react';
import type { PageName } from '../text/catalogue.ts';
import { HomePage } from './home/home-page.tsx';

interface Page {
  name: PageName;
  /** loaded when it is first shown; the first page comes with the frame */
  component: ComponentType;
  /** in the bar of the frame, in its menu, or reached from a page and the search field only */
  place: 'bar' | 'menu' | 'page';
}

/** The key that opens each page, 1 to 9. */
export const pageKeys: Record<PageName, string> = {
  home: '1',
  queries: '2',
  providers: '3',
  exceptions: '4',
  networks: '5',
  ledger: '6',
  settings: '7',
  profiles: '9',
  diagnostics: '8',
};

const besides: Partial<Record<PageName, Page['place']>> = {
  ledger: 'page',
  settings: 'menu',
  profiles: 'menu',
  diagnostics: 'menu',
};

const components: Record<PageName, Page['component']> = {
  home: HomePage,
  queries: lazy(() =>
    import('./query-log/query-log-page.tsx').then((file) => ({ default: file.QueryLogPage })),
  ),
  settings: lazy(() =>
    import('./settings/settings-page.tsx').then((file) => ({ default: file.SettingsPage })),
  ),
  profiles: lazy(() =>
    import('./profiles/profiles-page.tsx').then((file) => ({ default: file.ProfilesPage })),
  ),
  diagnostics: lazy(() =>
    import('./diagnostics/diagnostics-page.tsx').then((file) => ({
      default: file.DiagnosticsPage,
    })),
  ),
  providers: lazy(() =>
    import('./upstreams/upstreams-page.tsx').then((file) => ({ default: file.UpstreamsPage })),
  ),
  exceptions: lazy(() =>
    import('./exceptions/exceptions-page.tsx').then((file) => ({ default: file.ExceptionsPage })),
  ),
  ledger: lazy(() =>
    import('./ledger/ledger-page.tsx').then((file) => ({ default: file.LedgerPage })),
  ),
  networks: lazy(() =>
    import('./networks/networks-page.tsx').then((file) => ({ default: file.NetworksPage })),
  ),
};

export const pages: readonly Page[] = (Object.keys(pageKeys) as PageName[]).map((name) => ({
  name,
  component: components[name],
  place: besides[name] ?? 'bar',
}));
