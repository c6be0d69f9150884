/** Pictures of a network that wants a login: Home, and the bar above the login's page in the tray's window. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { someStatus } from '../../app/cli/fixtures/made-up.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { PortalStatus } from '../../app/contract/system/portal.ts';
import { type BarState, barHeight, barPage, drawBar } from '../../app/tray/login-bar.ts';
import { wordsFor } from '../../app/tray/text/choose.ts';
import type { TrayWords } from '../../app/tray/text/words.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectText } from './expect-page.ts';
import { looks, picture } from './looks.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

const minute = 60_000;
const seen: PortalStatus = {
  evidence: 'api',
  site: 'portal.hotel.example',
  url: 'https://portal.hotel.example/welcome',
  since: Date.now() - 2 * minute,
  byItself: false,
  skipped: false,
  login: null,
};
const login = (by: 'window' | 'browser') => ({
  by,
  since: Date.now(),
  until: Date.now() + 4.5 * minute,
  who: 'you',
  entry: 1,
});

interface PageScene {
  name: string;
  portal(): PortalStatus;
  /** as the tray's own window shows the page */
  inTray?: boolean;
}

const pages: PageScene[] = [
  { name: 'portal-wanted', portal: () => seen },
  {
    name: 'portal-address',
    portal: () => ({ ...seen, evidence: 'address', site: '192.0.2.7', url: 'http://192.0.2.7/' }),
  },
  { name: 'portal-open', portal: () => ({ ...seen, login: login('browser') }) },
  { name: 'portal-window', portal: () => seen, inTray: true },
  {
    name: 'portal-window-open',
    portal: () => ({ ...seen, login: login('window') }),
    inTray: true,
  },
  { name: 'portal-skipped', portal: () => ({ ...seen, skipped: true }) },
];

interface BarScene {
  name: string;
  state(words: TrayWords['login']): BarState;
}

const site = 'portal.hotel.example';
const longSite = 'login.portal.wireless.guests.the-grand-hotel-at-the-lake.example:8443';
const bars: BarScene[] = [
  {
    name: 'login-bar-long',
    state: (words) => ({ site: longSite, time: words.left('4:31'), said: words.notYet }),
  },
  {
    name: 'login-bar-loading',
    state: (words) => ({ site: '', time: words.left('5:00'), said: words.loading }),
  },
  {
    name: 'login-bar',
    state: (words) => ({ site, time: `${words.left('4:31')} · ${words.inCleartext}`, said: '' }),
  },
  {
    name: 'login-bar-not-yet',
    state: (words) => ({ site, time: words.left('4:02'), said: words.notYet }),
  },
  {
    name: 'login-bar-failed',
    state: (words) => ({
      site,
      time: words.left('4:31'),
      said: words.failed({
        why: 'ERR_NETWORK_CHANGED',
        certificate: false,
        triesAgain: true,
      }),
    }),
  },
  {
    name: 'login-bar-certificate',
    state: (words) => ({
      site,
      time: words.left('4:31'),
      said: words.failed({
        why: 'ERR_CERT_AUTHORITY_INVALID',
        certificate: true,
        triesAgain: false,
      }),
    }),
  },
  {
    name: 'login-bar-over',
    state: (words) => ({ site, time: words.over, said: words.beginAgain }),
  },
];

describe('a login', () => {
  const stage = uiStage();

  it.each(pages)('$name', async ({ name, portal, inTray = false }) => {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const [upstream] = someStatus().upstreams;
    const told: Partial<ServiceStatus> = {
      protection: { state: 'portal' },
      portal: portal(),
      upstreams: upstream === undefined ? [] : [{ ...upstream, state: 'idle', rttMs: null }],
    };
    const service = await ToldService.start(stage.lab, home, {}, told);
    for (const { name: look, ...rest } of looks) {
      const page = await stage.open(service, { ...rest, width: 1024, height: 800 });
      await expectText(new HomePage(page).state, /Log in|anmelden/);
      if (inTray) {
        // the page calls this each time that it is drawn
        await page.evaluate('window.sotto = {}');
        service.tell({ portal: { ...portal(), since: Date.now() } });
        await page
          .getByRole('button', {
            name: /^(Open login page|Anmeldeseite öffnen|Show its window|Ihr Fenster zeigen)$/,
          })
          .waitFor();
      }
      await picture(page, `${name}-${look}`, { widths: [320, 1024, 1440], height: 800 });
      await page.close();
    }
  });

  it.each(bars)('$name', async ({ name, state }) => {
    for (const { name: look, locale = 'en', ...rest } of looks) {
      const words = wordsFor(locale);
      const context = await stage.browser().newContext(rest);
      const page = await context.newPage();
      await page.goto(barPage(words, locale));
      await page.evaluate(drawBar(state(words.login)));
      // as narrow as the window gets, as wide as it is at first, and wide
      await picture(page, `${name}-${look}`, { widths: [640, 900, 1920], height: barHeight });
      await context.close();
    }
  });
});
