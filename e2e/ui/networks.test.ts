/** The Networks page over the real service, on any network that the tests' machine may be on. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { NetworkEntry } from '../../app/contract/system/network.ts';
import { describeWith } from '../rig/available.ts';
import type { SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting } from './expect-fitting.ts';
import { expectGone, expectText } from './expect-page.ts';
import { NetworksPage } from './pages/networks-page.ts';
import { type Look, uiStage } from './stage.ts';

const elsewhere = 'a1b2c3d4e5f6';
const hostileLabel = '198.51.100.0/24 on <b>wlan0</b>\u202e\u0007';

describeWith(['sotto', 'sotto-server'], 'the Networks page', () => {
  const stage = uiStage();

  /** A service that has been on another network before. */
  async function startTravelled(settings: SettingsFile = {}): Promise<SottoService> {
    const service = await stage.startService(settings);
    await service.stop();
    const memory = new Database(join(service.home, 'networks.sqlite'));
    memory
      .prepare(
        `INSERT INTO networks (id, name, label, hints, policy, authenticated, first_seen, last_seen)
         VALUES (?, NULL, ?, ?, 'fallback', 0, 1, 1)`,
      )
      .run(
        elsewhere,
        hostileLabel,
        JSON.stringify({
          interface: 'wlan0',
          gateway: '198.51.100.1',
          gatewayMac: '02:00:5e:10:00:00',
          prefix: '198.51.100.0/24',
          domain: null,
        }),
      );
    memory.close();
    await service.restart();
    return service;
  }

  async function open(service: SottoService, look?: Look): Promise<NetworksPage> {
    const networks = new NetworksPage(await stage.open(service, look));
    await networks.page.evaluate('location.hash = "/networks"');
    return networks;
  }

  async function known(service: SottoService): Promise<NetworkEntry[]> {
    return (await service.json<{ networks: NetworkEntry[] }>('network', 'list')).networks;
  }

  it('shows an earlier network as such, names it, and forgets it', async () => {
    const service = await startTravelled();
    const networks = await open(service);
    await expectText(networks.remembered, '198.51.100.0/24 on <b>wlan0</b>\\u202e\\x07');
    await expectText(networks.remembered, 'fallback');
    await expectAccessible(networks.page);

    await networks.remembered.getByRole('button', { name: /^Name and policy of/ }).click();
    await expectText(networks.dialog, 'Queries leave unencrypted by themselves');
    await expectAccessible(networks.page);
    await networks.page.getByRole('textbox', { name: 'Name' }).fill('Café <i>Sol</i>');
    await networks.choice(/^refuse/).check();
    await networks.button('Save').click();
    await expectText(networks.remembered, 'Café <i>Sol</i>');
    expect(await known(service)).toContainEqual(
      expect.objectContaining({ id: elsewhere, name: 'Café <i>Sol</i>', policy: 'refuse' }),
    );

    await networks.button('Forget Café <i>Sol</i>').click();
    await expectText(networks.dialog, 'Its name and its policy are lost');
    await networks.button('Forget').last().click();
    await expectGone(networks.remembered);
    expect((await known(service)).map(({ id }) => id)).not.toContain(elsewhere);
    await service.stop();
  });

  it('explains what a name or a looser policy means', async () => {
    const service = await startTravelled({ downgrade: 'refuse' });
    const networks = await open(service);
    await networks.remembered.getByRole('button', { name: /^Name and policy of/ }).click();
    await expectText(networks.dialog, 'That is looser than the settings.');
    await networks.page.getByRole('textbox', { name: 'Name' }).fill('a\u202eb');
    await networks.button('Save').click();
    await expectText(networks.dialog, 'At most 64 characters, none of them invisible.');
    await networks.choice(/as the settings say/).check();
    await expectText(networks.dialog, 'Now that is: refuse.');
    await service.stop();
  });

  it('sets the policy of the network it is on, with the keyboard alone', async (context) => {
    const service = await stage.startService();
    if (!(await known(service)).some(({ current }) => current)) {
      await service.stop();
      context.skip('this machine is on no network');
    }
    const networks = await open(service);
    await expectText(networks.here, /\S/);
    const { keyboard } = networks.page;
    await networks.tabTo('Name and policy …');
    await keyboard.press('Enter');
    await keyboard.press('Control+A');
    await keyboard.type('Workshop');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await expectText(networks.dialog, 'Queries get no answer.');
    await networks.tabTo('Save');
    await keyboard.press('Enter');
    await expectText(networks.here, 'Workshop');
    expect(await known(service)).toContainEqual(
      expect.objectContaining({ name: 'Workshop', policy: 'refuse', current: true }),
    );
    await expectAccessible(networks.page);
    await service.stop();
  });

  it('fits into 320 px, in German and in the dark', async () => {
    const service = await startTravelled();
    const look = { width: 320, locale: 'de-DE', colorScheme: 'dark' } as const;
    const networks = await open(service, look);
    await expectText(networks.remembered, 'wlan0');
    await expectFitting(networks.page);
    await expectAccessible(networks.page);
    await networks.remembered.getByRole('button', { name: /^Name und Richtlinie/ }).click();
    await expectText(networks.dialog, 'Wenn in diesem Netzwerk kein privater Weg funktioniert');
    await expectFitting(networks.page);
    await expectAccessible(networks.page);
    await service.stop();
  });
});
