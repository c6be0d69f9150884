/** Every English string of the page, part by part: a page has its own. */
import { chart } from './en/chart.ts';
import { coverageFix } from './en/coverage-fix.ts';
import { diagnostics } from './en/diagnostics.ts';
import { exceptions } from './en/exceptions.ts';
import { firstRun } from './en/first-run.ts';
import { frame } from './en/frame.ts';
import { home } from './en/home.ts';
import { ledger } from './en/ledger.ts';
import { networks } from './en/networks.ts';
import { portal } from './en/portal.ts';
import { profiles } from './en/profiles.ts';
import { protect } from './en/protect.ts';
import { queryLog } from './en/query-log.ts';
import { settingForms } from './en/setting-forms.ts';
import { settings } from './en/settings.ts';
import { systemDns } from './en/system-dns.ts';
import { upstreams } from './en/upstreams.ts';

export const en = {
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
} as const;
