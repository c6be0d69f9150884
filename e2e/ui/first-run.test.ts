/** The first run over the real service: completed with the keyboard alone, skipped, and found again. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectText } from './expect-page.ts';
import { FirstRunPage } from './pages/first-run-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
const titles = [
  'Who answers your queries?',
  'What if no private path works?',
  'Protect this computer',
] as const;

describeWith(['sotto', 'sotto-server'], 'the first run', () => {
  const stage = uiStage();

  /** Nothing is chosen yet: neither upstreams nor policy. */
  const startUndecided = () => stage.startService({ upstreams: undefined });

  async function shown(service: SottoService, key: string) {
    const { settings } = await service.json<{
      settings: { key: string; value: unknown; source: { layer: string } }[];
    }>('config', 'show');
    return settings.find((one) => one.key === key);
  }

  it('can be completed with the keyboard alone, and stores what was chosen', async () => {
    const service = await startUndecided();
    const run = new FirstRunPage(await stage.open(service));
    const { keyboard } = run.page;
    await expectText(run.question, titles[0]);
    expect(await run.page.title()).toBe('Set up Sotto – Sotto');
    expect(await run.choice('Quad9').isChecked()).toBe(true);
    await expectAccessible(run.page);
    await run.tabTo('Measure from here');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    expect(await run.choice('Cloudflare').isChecked()).toBe(true);
    await keyboard.press('Enter');

    await expectText(run.question, titles[1]);
    await expectAccessible(run.page);
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    expect(await run.choice('Warn').isChecked()).toBe(true);
    await keyboard.press('Enter');

    await expectText(run.question, titles[2]);
    await run.content.getByRole('button', { name: titles[2] }).waitFor();
    await expectText(run.content, 'until then this computer asks its network');
    await run.tabTo('Try it with one program first');
    await keyboard.press('Enter');
    await expectText(run.content, `dig @127.0.0.1 -p ${service.port} example.com`);
    await expectAccessible(run.page);
    expect(await shown(service, 'upstreams')).toMatchObject({
      value: [{ id: 'cloudflare', transport: 'dot', name: ['one.one.one.one'] }],
      source: { layer: 'user' },
    });
    expect(await shown(service, 'downgrade')).toMatchObject({ value: 'warn' });
    await run.tabTo('Done');
    await keyboard.press('Enter');
    await expectText(new HomePage(run.page).upstreams, 'Cloudflare');
    await service.stop();
  });

  it('can be skipped without storing anything, does not come back, in another browser either, and is in the palette', async () => {
    const service = await startUndecided();
    const run = new FirstRunPage(await stage.open(service));
    await expectText(run.question, titles[0]);
    await run.choice('Cloudflare').check();
    await run.press('Skip the setup');
    await expectText(run.navigation.locator('[aria-current]'), 'Home');
    expect(await shown(service, 'upstreams')).toMatchObject({ source: { layer: 'default' } });

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
    expect(await run.choice('Keep garden').isChecked()).toBe(true);
    await run.choice('Cloudflare').check();
    await run.press('Next');
    await run.press('Back');
    expect(await run.choice('Cloudflare').isChecked()).toBe(true);
    await run.press('Next');
    await run.press('Next');
    await expectText(run.question, titles[2]);
    const { upstreams } = await service.status();
    expect(upstreams.map(({ id }) => id)).toEqual(['cloudflare', 'garden']);
    await service.stop();
  });

  it('does not offer settings that an administrator has locked', async () => {
    const service = await startUndecided();
    await mkdir(join(service.home, 'policy.d'));
    const lock = { value: 'refuse', lock: true, reason: 'So it is written.' };
    await writeFile(
      join(service.home, 'policy.d', 'example.json'),
      JSON.stringify({ name: 'Example Corp', settings: { downgrade: lock } }),
    );
    await service.stop();
    await service.restart();
    const run = new FirstRunPage(await stage.open(service));
    await expectText(run.navigation.locator('[aria-current]'), 'Home');
    await run.command('three steps');
    await run.press('Next');
    await expectText(run.content, 'Example Corp has decided that for this machine');
    expect(await run.choice('Warn').isDisabled()).toBe(true);
    await expectAccessible(run.page);
    await service.stop();
  });

  it('fits into 320 px, and into German in the dark', async () => {
    const service = await startUndecided();
    for (const [locale, next] of [
      ['en-GB', 'Next'],
      ['de-DE', 'Weiter'],
    ] as const) {
      const run = new FirstRunPage(
        await stage.open(service, { width: 320, locale, colorScheme: 'dark' }),
      );
      for (const step of [1, 2]) {
        await expectText(run.content, new RegExp(`(Step|Schritt) ${step} `));
        expect(await run.page.evaluate(wide), `step ${step} in ${locale}`).toBe(false);
        await expectAccessible(run.page);
        if (step === 1) await run.press(next);
      }
    }
    await service.stop();
  });
});
