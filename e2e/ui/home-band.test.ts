/** Home for somebody who has five seconds: what it says, what can be done, and that it says it in plain words. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { someConsentRequest, someSystemDns } from '../../app/cli/fixtures/made-up.ts';
import { queryClasses } from '../../app/contract/query-log/query-class.ts';
import type { Series } from '../../app/contract/status/series.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting } from './expect-fitting.ts';
import { expectText } from './expect-page.ts';
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
    const box = await button.boundingBox();
    expect((box?.y ?? 1000) + (box?.height ?? 0)).toBeLessThanOrEqual(240);
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
    for (let each = 0; each < 3; each += 1) await askUdp(service.v4, name, 5000);
    await service.outcomes('img3.herald.example', 3);
    // the others are the rig's own, for a name that is answered on this machine
    const { rows } = (await service.status()).log;
    const status = new HomePage(await stage.open(service));
    await expectText(status.content.getByRole('listitem'), /^example\b/m);
    const chart = status.content.getByRole('slider', { name: 'Queries' });
    expect(await chart.getAttribute('aria-valuetext')).toMatch(
      new RegExp(`: ${rows} queries – 1 encrypted, ${rows - 1} cached$`),
    );
    await chart.focus();
    await status.page.keyboard.press('Home');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(
      /\d\d:\d\d – .*\d\d:\d\d: 0 queries$/,
    );
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
