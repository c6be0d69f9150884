/** States of the page Exceptions that are hard to reach: claims of networks, a VPN, an account that may not widen a rule. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import type { NameClaim } from '../../app/contract/settings/rule-methods.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { describeWith } from '../rig/available.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectText } from './expect-page.ts';
import { ExceptionsPage } from './pages/exceptions-page.ts';
import { type Look, uiStage } from './stage.ts';

const ruleOfCorp = { suffix: 'corp.example', to: ['192.0.2.53'] };
const noRules = {
  rules: [],
  resting: [],
  inForce: [],
  claims: [],
  locked: false,
  lockedBy: null,
  reason: null,
};
const office = {
  id: 'a1b2c3d4e5f6',
  name: 'Office <b>',
  label: '192.0.2.0/24 on wlan0',
  hints: { interface: 'wlan0', gateway: null, gatewayMac: null, prefix: null, domain: null },
  policy: null,
  authenticated: true,
  firstSeen: 0,
  lastSeen: 0,
  current: true,
};
const link = { up: true, running: true, addresses: [], domains: [] };
const links = [
  { ...link, name: 'wlan0', kind: 'wifi', resolvers: ['192.0.2.1:53'] },
  { ...link, name: 'tun0', kind: 'tunnel', resolvers: ['10.8.0.1:53'] },
];
const entryOfCorp: LedgerEntry = {
  ...{ id: 1, class: 'bypass', rule: 'corp.example', who: 'the VPN link tun0', count: 3 },
  ...{ network: 'none', networkLabel: '', group: '', reason: '' },
  ...{ since: Date.now() - 60_000, until: null, closed: null },
};
const nights = [{ days: ['mon' as const, 'sun' as const], from: '22:00', to: '06:00' }];
const hostileLink = 'wlan0\u202e';

describeWith(['sotto', 'sotto-server'], 'the page Exceptions of a told service', () => {
  const stage = uiStage();

  async function open(
    handlers: Partial<ServiceHandlers>,
    look?: Look,
    status?: Partial<ServiceStatus>,
  ): Promise<ExceptionsPage> {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const service = await ToldService.start(stage.lab, home, handlers, status);
    const rules = new ExceptionsPage(await stage.open(service, look));
    await rules.page.evaluate(`location.hash = '/exceptions'`);
    return rules;
  }

  it('refuses a wider condition clearly where only an administrator may', async () => {
    const rules = await open({
      'rule.list': () => ({ ok: true, value: { ...noRules, rules: [{ ...ruleOfCorp }] } }),
      'rule.add': () => ({
        ok: false,
        failure: {
          code: 'forbidden',
          message: 'only an administrator may',
          remedy: 'ask one',
          subject: null,
        },
      }),
    });
    await rules.button('Change the exception for corp.example').click();
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog.getByRole('alert'), 'Only an administrator may send more');
    await expectAccessible(rules.page);
  });

  it('proposes the resolvers of the only VPN, and the names of known networks', async () => {
    const rules = await open({
      'rule.list': () => ({ ok: true, value: noRules }),
      'network.show': () => ({ ok: true, value: { network: office, links, confirmed: true } }),
      'network.list': () => ({ ok: true, value: { networks: [office], unavailable: null } }),
    });
    await rules.button('Add an exception …').click();
    await expect.poll(() => rules.field('Answered by').inputValue()).toBe('link:tun0');
    await rules.button('Use 192.0.2.1:53').click();
    await expect
      .poll(() => rules.field('Answered by').inputValue())
      .toBe('link:tun0\n192.0.2.1:53');
    await rules.dialog.getByText('Only under conditions').click();
    await rules.button('Use Office <b>').click();
    await expect.poll(() => rules.field('Networks').inputValue()).toBe(office.name);
    await expectAccessible(rules.page);
    await rules.page.keyboard.press('Escape');
    await expectText(rules.page.locator(':focus'), 'Add an exception …');
  });

  it('shows what links claim, with its source, and takes the answers', async () => {
    const answers: { believe: boolean }[] = [];
    const claim = { by: 'resolved' as const, to: ['10.8.0.1:53'] };
    const claims: NameClaim[] = [
      { ...claim, suffix: 'corp.example', link: 'tun0', vpn: true, state: 'believed' },
      { ...claim, suffix: 'lan.example', link: hostileLink, vpn: false, state: 'open' },
      { ...claim, suffix: '', link: 'tun0', vpn: true, state: 'too-wide' },
    ];
    const rules = await open({
      'rule.list': () => ({ ok: true, value: { ...noRules, claims } }),
      'rule.answer': (answer) => {
        answers.push(answer);
        claims.splice(1, 1, {
          ...claim,
          suffix: 'lan.example',
          link: hostileLink,
          vpn: false,
          state: answer.believe ? 'believed' : 'refused',
        });
        return { ok: true, value: claims[1] as NameClaim };
      },
    });
    await expectText(rules.claims, /corp\.example\s+unencrypted, to its link/);
    await expectText(rules.claims, 'tun0, by systemd-resolved: 10.8.0.1:53');
    await expectText(rules.claims, 'never learned');
    await expectText(rules.waiting, 'wlan0\\u202e wants to answer lan.example.');
    await expectAccessible(rules.page);
    await rules.button('Keep encrypted: lan.example').click();
    await expectText(rules.claims, 'kept encrypted here');
    await expectGone(rules.waiting);
    expect(answers).toEqual([{ suffix: 'lan.example', link: hostileLink, believe: false }]);
    await expectText(rules.page.locator(':focus'), 'lan.example stays encrypted.');
    await rules.tabTo('Allow');
    await rules.page.keyboard.press('Enter');
    await expectText(rules.page.locator(':focus'), 'Undo');
    await expectText(rules.content, 'answers lan.example now, unencrypted.');
    await rules.page.keyboard.press('Enter');
    await expectText(rules.page.locator(':focus'), 'Taken back.');
    expect(answers.map(({ believe }) => believe)).toEqual([false, true, false]);
  });

  it('stops names that a link brought by keeping them encrypted', async () => {
    const answers: unknown[] = [];
    const learned: NameClaim = {
      ...{ suffix: 'corp.example', link: 'tun0', by: 'resolved', vpn: true },
      ...{ to: ['10.8.0.1:53'], state: 'believed' },
    };
    const rules = await open(
      {
        'rule.list': () => ({ ok: true, value: { ...noRules, claims: [learned] } }),
        'rule.answer': (answer) => {
          answers.push(answer);
          return { ok: true, value: { ...learned, state: 'refused' } };
        },
      },
      {},
      { clear: [entryOfCorp] },
    );
    await rules.button('Stop: remove the exception for corp.example').click();
    await expectText(rules.page.locator(':focus'), 'Ended.');
    expect(answers).toEqual([{ suffix: 'corp.example', link: 'tun0', believe: false }]);
  });

  it('fits into 320 px, in German and in the dark, with claims and conditions', async () => {
    const claim = { by: 'resolved' as const, to: ['10.8.0.1:53'], vpn: false };
    const long = `${'a-label-of-a-long-name.'.repeat(6)}example`;
    const when = { unit: ['backup.service'], network: [office.name], hours: nights };
    const rules = await open(
      {
        'rule.list': () => ({
          ok: true,
          value: {
            ...noRules,
            rules: [{ ...ruleOfCorp, when }],
            claims: [
              { ...claim, suffix: long, link: hostileLink, state: 'open' },
              { ...claim, suffix: `vpn.${long}`, link: 'tun0', state: 'believed' },
            ],
          },
        }),
        'ledger.follow': () => ({
          ok: true,
          value: { entries: [], completeSince: Date.now() - 3_600_000 },
        }),
      },
      { width: 320, locale: 'de-DE', colorScheme: 'dark' },
    );
    await expectText(rules.rules, 'nur für backup.service, nur im Netzwerk Office <b>');
    await expectText(rules.content, `wlan0\\u202e will ${long} beantworten.`);
    await expectText(rules.content, 'Über die Zeit vor');
    await expectFitting(rules.page);
    await expectAccessible(rules.page);
    await rules.button(/^Ausnahme für corp\.example.* ändern$/).click();
    await expectText(rules.dialog, 'Nur unter Bedingungen');
    await expectFitting(rules.page);
    await expectAccessible(rules.page);
  });
});
