/** The Networks page over the real service, on any network that the tests' machine may be on. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { NetworkEntry } from '../../app/contract/system/network.ts';
import { describeWith } from '../rig/available.ts';
import { callService } from '../rig/call-service.ts';
import type { SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectFocus, expectGone, expectText } from './expect-page.ts';
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
    return (await callService(service.controlSocket, 'network.list', {})).networks;
  }

  it('names a network where it stands: Enter saves, Esc keeps, and Undo takes it back', async () => {
    const service = await startTravelled();
    const networks = await open(service);
    await expectText(networks.known, 'Network on wlan0');
    await expectAccessible(networks.page);
    const { keyboard } = networks.page;

    await networks.known.getByRole('button', { name: /^Give it a name/ }).click();
    await networks.name.fill('Never');
    await keyboard.press('Escape');
    await expectGone(networks.name);
    await expect.poll(() => networks.page.locator(':focus').innerText()).toBe('Give it a name');

    await keyboard.press('Enter');
    await networks.name.fill('a\u202eb');
    await keyboard.press('Enter');
    await expectText(networks.known, 'none of them invisible. Nothing was changed.');
    await expectAccessible(networks.page);
    await networks.name.fill('Café <i>Sol</i>');
    await keyboard.press('Enter');
    await expectText(networks.known, 'Café <i>Sol</i>');
    await expectText(networks.toast, 'It is called Café <i>Sol</i> now.');
    await expect.poll(() => networks.page.locator(':focus').innerText()).toBe('Rename');
    await expect
      .poll(() => known(service))
      .toContainEqual(expect.objectContaining({ id: elsewhere, name: 'Café <i>Sol</i>' }));
    await expect.poll(() => networks.page.getByRole('dialog').count()).toBe(0);

    await networks.toast.getByRole('button', { name: 'Undo' }).click();
    await expectText(networks.known, 'Network on wlan0');
    await expect
      .poll(() => known(service))
      .toContainEqual(expect.objectContaining({ id: elsewhere, name: null }));
    await service.stop();
  });

  it('sets a policy at once, says what it means for privacy, and undoes it', async () => {
    const service = await startTravelled({ downgrade: 'refuse' });
    const networks = await open(service);
    await expectText(networks.known, 'Queries then leave unencrypted by themselves');
    await expectText(networks.known, 'This allows more than the settings.');
    const block = networks.choice(networks.known, /^Block$/);
    await block.click();
    await expectText(networks.toast, /: Block/);
    await expectText(networks.known, 'Nothing ever leaves unencrypted.');
    await expect.poll(() => policyElsewhere(service)).toBe('refuse');
    await expectAccessible(networks.page);

    await networks.toast.getByRole('button', { name: 'Undo' }).click();
    await expectText(networks.toast, 'As it was before.');
    await expect.poll(() => policyElsewhere(service)).toBe('fallback');

    await networks.choice(networks.known, /^As in Settings/).click();
    await expectText(networks.known, /As in Settings\s*Block/);
    await expect.poll(() => policyElsewhere(service)).toBe(null);
    await service.stop();
  });

  it('forgets a network, and remembers it again', async () => {
    const service = await startTravelled();
    const networks = await open(service);
    await networks.button(/^Forget/).click();
    await expectText(networks.toast, 'is forgotten.');
    await expectGone(networks.known);
    await expectText(networks.content, 'No other network is known.');
    await expect
      .poll(async () => (await known(service)).map(({ id }) => id))
      .not.toContain(elsewhere);

    await networks.toast.getByRole('button', { name: 'Undo' }).click();
    await expectText(networks.known, 'Network on wlan0');
    await expect.poll(() => policyElsewhere(service)).toBe('fallback');
    await service.stop();
  });

  it('shows addresses under Details only, and obeys nothing that a network says', async () => {
    const service = await startTravelled();
    const networks = await open(service);
    await expectText(networks.known, 'Network on wlan0');
    const unfolded = (await networks.known.allInnerTexts()).join();
    expect(unfolded).not.toMatch(/198\.51\.100|02:00:5e/);
    await networks.known.getByText('Details', { exact: true }).click();
    await expectText(networks.known, '198.51.100.0/24 on <b>wlan0</b>\\u202e\\x07');
    await expectText(networks.known, '198.51.100.1, hardware address 02:00:5e:10:00:00');
    await expectAccessible(networks.page);
    await service.stop();
  });

  it('sets the policy of the network it is on, with the keyboard alone', async (context) => {
    const service = await stage.startService();
    if (!(await known(service)).some(({ current }) => current)) {
      await service.stop();
      context.skip('this machine is on no network');
    }
    const networks = await open(service);
    await expectText(networks.here, 'You are here');
    const { keyboard } = networks.page;
    await networks.tabTo('Give it a name');
    await keyboard.press('Enter');
    await expectFocus(networks.name);
    await keyboard.type('Workshop');
    await keyboard.press('Enter');
    await expectText(networks.here, 'Workshop');
    await expectText(networks.page.locator(':focus'), 'Rename');

    await keyboard.press('Tab');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    await expect.poll(() => networks.page.locator(':focus').innerText()).toBe('Ask');
    await expectText(networks.here.locator('[data-shown=true]'), 'You are asked then.');
    const policyHere = async () => (await known(service)).find(({ current }) => current)?.policy;
    await expect.poll(policyHere).toBe(null);
    await keyboard.press('ArrowLeft');
    await keyboard.press('Space');
    await expectText(networks.toast, 'Workshop: Block');
    await expect.poll(policyHere).toBe('refuse');
    await expectAccessible(networks.page);
    await service.stop();
  });

  it('says who locked the policy and why, and offers nothing looser', async () => {
    const service = await startTravelled();
    await service.stop();
    const policies = join(service.home, 'policy.d');
    await mkdir(policies, { recursive: true });
    const reason = 'The law says so.';
    const downgrade = { value: 'warn', lock: true, reason };
    await writeFile(
      join(policies, 'corp.json'),
      JSON.stringify({ name: 'Example Corp', settings: { downgrade } }),
    );
    await service.restart();
    const networks = await open(service);
    await networks.choice(networks.known, /^Block$/).click();
    await expectText(
      networks.known,
      `Locked by Example Corp: nothing looser can be chosen. ${reason}`,
    );
    await expect.poll(() => policyElsewhere(service)).toBe('refuse');
    await expect
      .poll(() => networks.choice(networks.known, 'Allow unencrypted').isDisabled())
      .toBe(true);
    await expect.poll(() => networks.choice(networks.known, /^Ask/).isEnabled()).toBe(true);
    await expectAccessible(networks.page);
    await service.stop();
  });

  it('fits into 320 px, in German and in the dark', async () => {
    const service = await startTravelled();
    const look = { width: 320, locale: 'de-DE', colorScheme: 'dark' } as const;
    const networks = await open(service, look);
    await expectText(networks.known, 'Netzwerk an wlan0');
    await expectFitting(networks.page);
    await expectAccessible(networks.page);
    await networks.known.getByRole('button', { name: /^Benennen/ }).click();
    await networks.known.getByText('Einzelheiten', { exact: true }).click();
    await expectText(networks.known, 'Eingabetaste speichert');
    await expectFitting(networks.page);
    await expectAccessible(networks.page);
    await service.stop();
  });

  async function policyElsewhere(
    service: SottoService,
  ): Promise<NetworkEntry['policy'] | undefined> {
    return (await known(service)).find(({ id }) => id === elsewhere)?.policy;
  }
});
