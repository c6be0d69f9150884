/** Home for somebody who has five seconds: what it says, what can be done, and that it says it in plain words. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { someConsentRequest, someSystemDns } from '../../app/cli/fixtures/made-up.ts';
import { queryClasses } from '../../app/contract/query-log/query-class.ts';
import { say } from '../../app/contract/sentences/sentence.ts';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import type { Series } from '../../app/contract/status/series.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { CoverageRow } from '../../app/contract/system/coverage.ts';
import type { PortalStatus } from '../../app/contract/system/portal.ts';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectFocus, expectText, focusOn } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';
import { statusOf, verdictsShown } from './verdicts-shown.ts';

const expertWords =
  /\bIP\b|\bTLS\b|\bDoT\b|\bDoH\b|upstream|resolver|\broot\b|in clear\b|Klartext-Weg|127\.0\.0\.1/i;

describeWith(['sotto', 'sotto-server'], 'Home, unfolded by nobody', () => {
  const stage = uiStage();

  async function told() {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    return await ToldService.start(stage.lab, home, {});
  }

  it.each([
    ['en-GB', 1080],
    ['de-DE', 320],
  ] as const)(
    'says every verdict in plain words and fits, in %s at %d px',
    async (locale, width) => {
      const service = await told();
      const status = new HomePage(await stage.open(service, { locale, width, height: 760 }));
      for (const [, , changes] of verdictsShown) {
        const shown = statusOf(changes);
        service.tell(shown);
        await status.content.locator(`[data-mark="${shown.verdict.is}"]`).waitFor();
        expect(await status.content.innerText()).not.toMatch(expertWords);
        await expectFitting(status.page);
      }
    },
  );

  it.each<[string, string, Partial<ServiceStatus>]>([
    [
      'Not in use yet',
      'Protect this computer',
      { systemDns: someSystemDns({ taken: false, wanted: false }) },
    ],
    [
      'Your choice',
      'Stay protected',
      {
        protection: { state: 'asking', upstream: 'Quad9' },
        consentRequests: [someConsentRequest({})],
      },
    ],
    ['Blocked', 'Other provider', { protection: { state: 'refusing', why: 'Quad9: timed out.' } }],
    ['Off – unencrypted', 'Turn on', { protection: { state: 'off', since: 0 } }],
    ['Paused', 'Resume', { protection: { state: 'paused', until: null } }],
  ])('%s: %s is within the first 240 pixels', async (headline, action, changes) => {
    const service = await told();
    service.tell(statusOf(changes));
    const status = new HomePage(await stage.open(service, { width: 1080, height: 760 }));
    await expectText(status.state, headline);
    const button = status.content.getByRole('button', { name: action, exact: true });
    await expect.poll(() => bottomOf(button)).toBeLessThanOrEqual(240);
    await expectAccessible(status.page);
  });
});

describeWith(['sotto', 'sotto-server'], 'the picture of the queries', () => {
  const stage = uiStage();

  it('says since when it collects as long as there is nothing to draw', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const service = await ToldService.start(stage.lab, home, {
      'stats.series': ({ since, until, points }) => {
        const none = new Array<number>(points).fill(0);
        const outcomes = Object.fromEntries(queryClasses.map((name) => [name, none]));
        const step = (until - since) / points;
        const rest = { keptSince: null, upstreams: [] };
        return { ok: true, value: { since, step, outcomes, ...rest } as unknown as Series };
      },
    });
    const status = new HomePage(await stage.open(service));
    await expectText(status.content, /Collecting since .*\d\d:\d\d/);
    await expectAccessible(status.page);
  });

  it('counts real queries, and tells each interval by the keyboard', async () => {
    const service = await stage.startService();
    const name = encodeQuery('img3.herald.example', 'A');
    for (let each = 0; each < 3; each += 1) await askUdp(service.v4, name);
    await service.outcomes('img3.herald.example', 3);
    // the others are the rig's own, for a name that is answered on this machine
    const { rows } = (await service.status()).log;
    const status = new HomePage(await stage.open(service));
    await expectText(status.content.getByRole('listitem'), /^example\b/m);
    const chart = status.content.getByRole('slider', { name: 'Queries' });
    await expect
      .poll(() => chart.getAttribute('aria-valuetext'))
      .toMatch(new RegExp(`: ${rows} queries – 1 encrypted, ${rows - 1} cached$`));
    await focusOn(chart);
    await status.page.keyboard.press('Home');
    await expect
      .poll(() => chart.getAttribute('aria-valuetext'))
      .toMatch(/\d\d:\d\d – .*\d\d:\d\d: 0 queries$/);
    await expectAccessible(status.page);
    await status.press('1 h');
    await expectText(status.content, `${rows} queries`);
    await service.stop();
  });

  it('is reached by the address that the page had before, and leads to the pages of the menu', async () => {
    const service = await stage.startService();
    const status = new HomePage(await stage.open(service));
    await status.page.evaluate('location.hash = "#/status"');
    await expectText(status.state, 'Not in use yet');
    for (const page of ['Settings', 'Troubleshoot']) {
      await status.goTo(page);
      await expectText(status.content.getByRole('heading', { level: 1 }), page);
    }
    await service.stop();
  });
});

/** The lowest pixel of an element. */
async function bottomOf(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  return box === null ? Number.POSITIVE_INFINITY : box.y + box.height;
}

const besides = { exceptions: 0, contested: false, around: [] };
const firefox: CoverageRow = {
  source: 'configured',
  kind: 'browser',
  name: 'Firefox',
  user: null,
  to: [],
  count: null,
  rejected: null,
  since: null,
  newest: null,
  weighs: true,
  text: 'Firefox asks a provider of its own.',
  remedy: 'in Firefox: turn it off',
  says: { text: [], remedy: [] },
  fix: 'firefox',
};

describeWith(['sotto', 'sotto-server'], 'what helps, on Home', () => {
  const stage = uiStage();

  async function told(handlers: Partial<ServiceHandlers>, status: Partial<ServiceStatus>) {
    const home = await mkdtemp(join(stage.lab.directory, 'h-'));
    const service = await ToldService.start(stage.lab, home, handlers);
    service.tell(statusOf(status));
    return service;
  }

  it('shows what a fix changes, changes it only then, and undoes it', async () => {
    const did: string[] = [];
    let fixed = false;
    const service = await told(
      {
        'coverage.map': () => {
          const rows = fixed ? [] : [firefox];
          return {
            ok: true,
            value: { at: Date.now(), countsSince: null, uncounted: null, rows, limits: [] },
          };
        },
        'coverage.fixes': () => {
          const since = fixed ? Date.now() : null;
          const known = { fix: 'firefox', present: true, inPlace: fixed, refused: null } as const;
          return { ok: true, value: { fixes: [{ ...known, since, files: [] }] } };
        },
        'coverage.fix': ({ fix, dryRun = false }) => {
          did.push(dryRun ? 'looked' : 'fixed');
          fixed = !dryRun;
          const file = '/etc/firefox/policies/policies.json';
          const files = [{ file, before: null, after: '{ "DNSOverHTTPS": "off" }' }];
          const says = say('fix-proved-at-start', { program: 'Firefox' });
          return { ok: true, value: { fix, files, proved: dryRun ? null : true, says } };
        },
        'coverage.undo': ({ fix }) => {
          did.push('undone');
          fixed = false;
          return { ok: true, value: { fix, files: [], says: say('fix-undone') } };
        },
      },
      { verdict: { is: 'partly', upstream: 'Quad9', ...besides } },
    );
    const home = new HomePage(await stage.open(service, { width: 320 }));
    await expectText(home.content, 'Firefox');
    const open = home.content.getByRole('listitem').getByRole('button', { name: 'How to fix' });
    await focusOn(open);
    await home.page.keyboard.press('Enter');
    const dialog = home.page.getByRole('dialog');
    await expectText(dialog, '/etc/firefox/policies/policies.json');
    await expectText(dialog, '"DNSOverHTTPS": "off"');
    expect(did).toEqual(['looked']);
    await expectFitting(home.page);
    await expectAccessible(home.page);
    await home.page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await expectFocus(open);

    await open.click();
    await dialog.getByRole('button', { name: 'Change it' }).click();
    await expectText(dialog, 'Firefox reads it at its next start');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expectText(home.content, 'Firefox: led to Sotto');
    await expectAccessible(home.page);
    await home.press('Undo the change to Firefox');
    await expectText(home.content, /Firefox[^:]*How to fix/);
    expect(did).toEqual(['looked', 'looked', 'fixed', 'undone']);
  });

  it('retries where queries are blocked, also if nobody was asked', async () => {
    const service: ToldService = await told(
      {
        'consent.list': () => ({ ok: true, value: { consentRequests: [] } }),
        'upstream.retry': () => {
          service.tell(statusOf({}));
          return { ok: true, value: { reached: 'Quad9', whyNot: '' } };
        },
      },
      { protection: { state: 'refusing', why: 'Quad9: timed out.' } },
    );
    const home = new HomePage(await stage.open(service));
    await expectText(home.state, 'Blocked');
    await home.press('Retry');
    await expectText(home.page.getByRole('status'), 'Quad9 answers again, encrypted.');
    await expectText(home.state, 'Protected');
  });

  it('opens the login page in a browser, and explains what looking its name up means', async () => {
    const seen: PortalStatus = {
      evidence: 'address',
      site: '192.0.2.7',
      url: 'http://192.0.2.7/',
      since: Date.now(),
      byItself: false,
      skipped: false,
      login: null,
    };
    const service = await told({}, { protection: { state: 'portal' }, portal: seen });
    const home = new HomePage(await stage.open(service, { width: 1080, height: 760 }));
    await expectText(home.state, 'Log in to this Wi-Fi');
    const button = home.content.getByRole('button', { name: 'Open login page' });
    await expect.poll(() => bottomOf(button)).toBeLessThanOrEqual(240);
    const opened = home.page.context().waitForEvent('page');
    await button.click();
    const page = await opened;
    await expect
      .poll(() => page.url())
      .toMatch(/^http:\/\/192\.0\.2\.7\/|about:blank|chrome-error/);

    const named = { ...seen, site: 'portal.hotel.example', url: 'https://portal.hotel.example/' };
    service.tell(statusOf({ protection: { state: 'portal' }, portal: named }));
    await expectText(home.content, 'must look up portal.hotel.example');
    await button.click();
    await expectText(home.page.locator(':focus'), 'must look up portal.hotel.example');
    await expectAccessible(home.page);
  });

  it('says who wants a code for a pause, and offers no way to switch off', async () => {
    const pause = {
      ...{ key: 'pause', value: 'code', label: 'Pausing', help: '', unit: null },
      source: { layer: 'profile', file: 'profile.json' } as const,
      ...{ locked: true, hidden: false, lockedBy: 'Example Corp', reason: 'Call 1234' },
    };
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const service = await ToldService.start(stage.lab, home, {
      'settings.effective': () => ({ ok: true, value: { settings: [pause], revision: '' } }),
    });
    service.tell({ systemDns: someSystemDns() });
    const status = new HomePage(await stage.open(service));
    await expectText(
      status.content,
      /A pause needs a code[\s\S]*Locked by Example Corp: Call 1234/,
    );
    await expectText(status.content, 'sotto pause 30m');
    await expect.poll(() => status.content.getByRole('button', { name: 'Pause' }).count()).toBe(1);
    await expect.poll(() => status.content.getByRole('switch').isDisabled()).toBe(true);
    await expectAccessible(status.page);
  });
});
