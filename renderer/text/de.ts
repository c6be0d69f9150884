/** Every German string of the page, part by part: a page has its own. */
import { chart } from './de/chart.ts';
import { coverageFix } from './de/coverage-fix.ts';
import { diagnostics } from './de/diagnostics.ts';
import { exceptions } from './de/exceptions.ts';
import { firstRun } from './de/first-run.ts';
import { frame } from './de/frame.ts';
import { home } from './de/home.ts';
import { ledger } from './de/ledger.ts';
import { networks } from './de/networks.ts';
import { portal } from './de/portal.ts';
import { profiles } from './de/profiles.ts';
import { protect } from './de/protect.ts';
import { queryLog } from './de/query-log.ts';
import { settingForms } from './de/setting-forms.ts';
import { settings } from './de/settings.ts';
import { systemDns } from './de/system-dns.ts';
import { upstreams } from './de/upstreams.ts';
import type { en } from './en.ts';
import type { Translated } from './translated.ts';

export const de: Translated<typeof en> = {
  chart,
  coverageFix,
  diagnostics,
  firstRun,
  frame,
  queryLog,
  ledger,
  networks,
  portal,
  profiles,
  protect,
  exceptions,
  settingForms,
  settings,
  home,
  systemDns,
  upstreams,
};
