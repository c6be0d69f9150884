/** Every German string of the page, part by part: a page has its own. */
import { diagnostics } from './de/diagnostics.ts';
import { firstRun } from './de/first-run.ts';
import { frame } from './de/frame.ts';
import { home } from './de/home.ts';
import { ledger } from './de/ledger.ts';
import { networks } from './de/networks.ts';
import { portal } from './de/portal.ts';
import { protect } from './de/protect.ts';
import { queryLog } from './de/query-log.ts';
import { rules } from './de/rules.ts';
import { settingForms } from './de/setting-forms.ts';
import { settings } from './de/settings.ts';
import { systemDns } from './de/system-dns.ts';
import { upstreams } from './de/upstreams.ts';
import type { en } from './en.ts';
import type { Translated } from './translated.ts';

export const de: Translated<typeof en> = {
  diagnostics,
  firstRun,
  frame,
  queryLog,
  ledger,
  networks,
  portal,
  protect,
  rules,
  settingForms,
  settings,
  home,
  systemDns,
  upstreams,
};
