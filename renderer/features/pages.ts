/** All pages, in the order of their keys. */
import { type ComponentType, lazy } from 'react';
import type { PageName } from '../text/catalogue.ts';
import { StatusPage } from './status/status-page.tsx';

interface Page {
  name: PageName;
  /** loaded when it is first shown; the first page comes with the frame */
  component: ComponentType;
}

/** The key that opens each page, 1 to 8. */
export const pageKeys: Record<PageName, string> = {
  status: '1',
  queries: '2',
  upstreams: '3',
  rules: '4',
  ledger: '5',
  networks: '6',
  settings: '7',
  diagnostics: '8',
};

const components: Record<PageName, Page['component']> = {
  status: StatusPage,
  queries: lazy(() =>
    import('./query-log/query-log-page.tsx').then((file) => ({ default: file.QueryLogPage })),
  ),
  settings: lazy(() =>
    import('./settings/settings-page.tsx').then((file) => ({ default: file.SettingsPage })),
  ),
  diagnostics: lazy(() =>
    import('./diagnostics/diagnostics-page.tsx').then((file) => ({
      default: file.DiagnosticsPage,
    })),
  ),
  upstreams: lazy(() =>
    import('./upstreams/upstreams-page.tsx').then((file) => ({ default: file.UpstreamsPage })),
  ),
  rules: lazy(() => import('./rules/rules-page.tsx').then((file) => ({ default: file.RulesPage }))),
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
}));
