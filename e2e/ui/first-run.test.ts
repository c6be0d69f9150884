/** The first run over the real service: completed with the keyboard alone, skipped, and found again. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { someSystemDns } from '../../app/cli/fixtures/made-up.ts';
import type { SystemDnsDetails } from '../../app/contract/system/system-dns.ts';
import { describeWith } from '../rig/available.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectFocus, expectText } from './expect-page.ts';
import { settingInForce } from './in-force.ts';
import { FirstRunPage } from './pages/first-run-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

const expertWords =
  /\bIP\b|\bTLS\b|upstream|resolver|\broot\b|in clear\b|127\.0\.0\.1|Klartext|Wurzel/i;
const titles = [
  'Who answers your queries?',
  'What if no encrypted connection works?',
  'Protect this computer',
] as const;

describeWith(['sotto', 'sotto-server'], 'the first run', () => {
  const stage = uiStage();

  /** Nothing is chosen yet: neither upstreams nor policy. */
  const startUndecided = () => stage.startService({ upstreams: undefined });

  it('can be completed with the keyboard alone, and stores what was chosen', async () => {
    const service = await startUndecided();
    const run = new FirstRunPage(await stage.open(service));
    const { keyboard } = run.page;
    await expectText(run.question, titles[0]);
    await expect.poll(() => run.page.title()).toBe('Set up Sotto – Sotto');
    await expect.poll(() => run.navigation.count()).toBe(0);
    await expect.poll(() => run.choice('Quad9').isChecked()).toBe(true);
    await expect.poll(() => run.choice('Quad9 (unfiltered)').isVisible()).toBe(false);
    await expectAccessible(run.page);
    await run.tabTo('More');
    await keyboard.press('Enter');
    await expect.poll(() => run.choice('Quad9 (unfiltered)').isVisible()).toBe(true);
    await expectAccessible(run.page);
    await keyboard.press('Shift+Tab');
    await keyboard.press('ArrowDown');
    await expect.poll(() => run.choice('Cloudflare').isChecked()).toBe(true);
    await keyboard.press('Enter');

    await expectText(run.question, titles[1]);
    await expectFocus(run.question);
    await expectAccessible(run.page);
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await expect.poll(() => run.choice('Ask').isChecked()).toBe(true);
    await keyboard.press('Enter');

    await expectText(run.question, titles[2]);
    await run.button(titles[2]).waitFor();
    await run.tabTo('Try it with one program first');
    await keyboard.press('Enter');
    await expectText(run.content, `dig @127.0.0.1 -p ${service.port} example.com`);
    await expectAccessible(run.page);
    await expect
      .poll(() => settingInForce(service, 'upstreams'))
      .toMatchObject({
        value: [{ id: 'cloudflare', transport: 'dot', name: ['one.one.one.one'] }],
        source: { layer: 'user' },
      });
    await expect.poll(() => settingInForce(service, 'downgrade')).toMatchObject({ value: 'warn' });
    await run.tabTo('Not now');
    await keyboard.press('Enter');
    const home = new HomePage(run.page);
    await expectText(home.state, 'Not in use yet');
    await expectText(home.upstreams, 'Cloudflare');
    await service.stop();
  });

  it('can be skipped step by step without storing anything, does not come back, and is in the palette', async () => {
    const service = await startUndecided();
    const run = new FirstRunPage(await stage.open(service));
    await expectText(run.question, titles[0]);
    await run.choice('Cloudflare').check();
    await run.press('Skip');
    await expectText(run.question, titles[1]);
    await run.choice('Allow').check();
    await run.press('Skip');
    await expectText(run.question, titles[2]);
    await run.press('Not now');
    await expectText(run.navigation.locator('[aria-current]'), 'Home');
    await expectText(new HomePage(run.page).state, 'Not in use yet');
    await expect
      .poll(() => settingInForce(service, 'upstreams'))
      .toMatchObject({ source: { layer: 'default' } });
    await expect
      .poll(() => settingInForce(service, 'downgrade'))
      .toMatchObject({ source: { layer: 'default' } });

    await run.page.goto(run.page.url().replace(/#.*/, ''));
    await run.page.reload();
    await expectText(new HomePage(run.page).upstreams, 'Quad9');
    await expectText(run.navigation.locator('[aria-current]'), 'Home');

    const elsewhere = new FirstRunPage(await stage.open(service));
    await expectText(new HomePage(elsewhere.page).upstreams, 'Quad9');
    await expectText(elsewhere.navigation.locator('[aria-current]'), 'Home');

    await run.command('three steps');
    await expectText(run.question, titles[0]);
    await service.stop();
  });

  it('puts a later choice before the existing upstreams, and keeps those', async () => {
    const service = await stage.startService();
    const run = new FirstRunPage(await stage.open(service));
    await expectText(run.navigation.locator('[aria-current]'), 'Home');
    await run.command('three steps');
    await expect.poll(() => run.choice('Keep garden').isChecked()).toBe(true);
    await run.choice('Cloudflare').check();
    await run.press('Next');
    await run.press('Back');
    await expect.poll(() => run.choice('Cloudflare').isChecked()).toBe(true);
    await run.press('Next');
    await run.press('Next');
    await expectText(run.question, titles[2]);
    const order = async () => (await service.status()).upstreams.map(({ id }) => id);
    await expect.poll(order).toEqual(['cloudflare', 'garden']);
    await service.stop();
  });

  it('tells what an administrator has locked, and does not offer it', async () => {
    const service = await startUndecided();
    await mkdir(join(service.home, 'policy.d'));
    const lock = { value: 'refuse', lock: true, reason: 'So it is written.' };
    const locked = { downgrade: lock, 'systemDns.take': { ...lock, value: false } };
    await writeFile(
      join(service.home, 'policy.d', 'example.json'),
      JSON.stringify({ name: 'Example Corp', settings: locked }),
    );
    await service.stop();
    await service.restart();
    const run = new FirstRunPage(await stage.open(service));
    await expectText(run.navigation.locator('[aria-current]'), 'Home');
    await run.command('three steps');
    await run.press('Next');
    await expectText(run.content, 'Block. Names are not looked up');
    await expectText(run.content, 'Example Corp has set this for this computer');
    await expectText(run.content, 'So it is written.');
    await expect.poll(() => run.content.getByRole('radio').count()).toBe(0);
    await expectAccessible(run.page);
    await run.press('Next');
    await expectText(run.question, titles[2]);
    await expectText(run.content, 'Example Corp has set this for this computer');
    await expect.poll(() => run.button(titles[2]).count()).toBe(0);
    await expectAccessible(run.page);
    await service.stop();
  });

  it('shows that it works only after a query of this computer arrived, and is done then', async () => {
    const own = someSystemDns({ wanted: false, taken: false });
    const led = someSystemDns({});
    const details: SystemDnsDetails = {
      status: led,
      found: [],
      own: [],
      helper: { held: 1 },
      startHelper: '',
      gate: { closed: null, unavailable: null },
    };
    const home = await mkdtemp(join(stage.lab.directory, 'f-'));
    const besides = { exceptions: 0, contested: false, around: [] };
    const service: ToldService = await ToldService.start(
      stage.lab,
      home,
      {
        'setup.end': () => ({ ok: true, value: { over: true } }),
        'catalogue.list': () => ({ ok: true, value: { resolvers: [] } }),
        'settings.effective': () => ({ ok: true, value: { settings: [], revision: '1' } }),
        'system.take': () => {
          const looks = { is: 'connecting', waitsFor: 'look', upstream: 'Quad9' } as const;
          service.tell({ systemDns: led, verdict: { ...looks, ...besides } });
          return { ok: true, value: details };
        },
      },
      { systemDns: own },
    );
    const run = new FirstRunPage(await stage.open(service));
    await run.command('three steps');
    await run.press('Skip');
    await run.press('Skip');
    await run.tabTo('Protect this computer');
    const mark = (verdict: string) => run.content.locator(`[data-mark="${verdict}"]`);
    await expect.poll(() => mark('not-in-use').count()).toBe(1);
    await run.page.keyboard.press('Enter');
    await expectText(run.outcome, 'Checking that a query of this computer arrives …');
    await expect.poll(() => mark('connecting').count()).toBe(1);
    await expect.poll(() => run.page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => run.button('Done').count()).toBe(0);
    await expectAccessible(run.page);
    service.tell({ verdict: { is: 'protected', upstream: 'Quad9', exceptions: 0 } });
    await expectText(run.outcome, '✓ Working: a query of this computer arrived.');
    await expect.poll(() => mark('protected').count()).toBe(1);
    await expectAccessible(run.page);
    await run.press('Done');
    await expectText(new HomePage(run.page).state, 'Protected');
    await expect.poll(() => run.page.getByRole('dialog').count()).toBe(0);
  });

  it.each([
    ['en-GB', 1024, 'light', ['Next', 'Next', 'Not now'], 'More'],
    ['de-DE', 1024, 'dark', ['Weiter', 'Weiter', 'Jetzt nicht'], 'Mehr'],
    ['en-GB', 320, 'dark', ['Next', 'Next', 'Not now'], 'More'],
    ['de-DE', 320, 'light', ['Weiter', 'Weiter', 'Jetzt nicht'], 'Mehr'],
  ] as const)(
    'has its way on in sight, in plain words, in %s at %d px',
    async (locale, width, colorScheme, onward, more) => {
      const service = await startUndecided();
      const look = { locale, width, height: 640, colorScheme };
      const run = new FirstRunPage(await stage.open(service, look));
      for (const [index, name] of onward.entries()) {
        await expectText(run.content, new RegExp(`(Step|Schritt) ${index + 1} .* 3`));
        await expectInSight(run.page, name);
        expect(await run.content.innerText()).not.toMatch(expertWords);
        await expectFitting(run.page);
        if (index === 0) await run.unfold(more);
        await expectInSight(run.page, name);
        await expectFitting(run.page);
        await run.page.evaluate('scrollTo(0, document.body.scrollHeight)');
        await expectInSight(run.page, name);
        await expectAccessible(run.page);
        await run.press(name);
      }
      await service.stop();
    },
  );
});

/** Within the window without scrolling, and nothing lies above it. */
async function expectInSight(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.waitFor();
  const box = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 9999 };
  expect(box.y + box.height).toBeLessThanOrEqual(640);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  expect(await page.evaluate(`document.elementFromPoint(${x}, ${y}).textContent`)).toBe(name);
}
