/**
 * A network that wants a login, one that claims names, and the system's DNS, as the page shows them. The service's replies are
 * made up here.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import type { NameClaim } from '../../app/contract/settings/rule-methods.ts';
import type { Finding } from '../../app/contract/status/finding.ts';
import type { PortalStatus } from '../../app/contract/system/portal.ts';
import type { SystemDnsDetails, SystemDnsStatus } from '../../app/contract/system/system-dns.ts';
import { describeWith } from '../rig/available.ts';
import { toldExamination } from '../rig/told-examination.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectText } from './expect-page.ts';
import { DiagnosticsPage } from './pages/diagnostics-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

const seen: PortalStatus = {
  evidence: 'names',
  site: 'portal.example',
  url: 'http://portal.example/login',
  since: Date.now(),
  byItself: false,
  skipped: false,
  login: null,
};
const captive = { protection: { state: 'portal' } as const, portal: seen };

const dns: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: false,
  taken: false,
  since: null,
  links: [],
  givenBackFor: null,
  contest: null,
  trouble: null,
};
const details = (status: SystemDnsStatus): SystemDnsDetails => ({
  status,
  found: [],
  own: [],
  helper: null,
  startHelper: 'sudo sotto-helper',
  gate: { closed: null, unavailable: null },
});

const leadsHere: Finding = {
  check: 'coverage',
  subject: 'programs',
  verdict: 'ok',
  text: 'getaddrinfo leads here.',
  remedy: null,
  says: { text: [], remedy: [] },
  action: null,
};
const asksOthers: Finding = {
  ...leadsHere,
  verdict: 'warn',
  text: 'getaddrinfo asks 192.0.2.1.',
  remedy: 'take the system’s DNS',
  action: { method: 'system.take', params: {} },
};

describeWith(['sotto', 'sotto-server'], 'a network that wants a login', () => {
  const stage = uiStage();
  const told = async (
    handlers: Partial<ServiceHandlers>,
    status: Parameters<typeof ToldService.start>[3],
  ) =>
    ToldService.start(stage.lab, await mkdtemp(join(stage.lab.directory, 't-')), handlers, status);

  it('in a browser lets one site be looked up, for minutes, and says what that means', async () => {
    const allowed: unknown[] = [];
    const service: ToldService = await told(
      {
        'portal.allowSite': ({ site, minutes }) => {
          allowed.push({ site, minutes });
          const until = Date.now() + minutes * 60_000;
          service.tell({
            portal: {
              ...seen,
              login: { by: 'browser', since: Date.now(), until, who: 'you', entry: 1 },
            },
          });
          return { ok: true, value: { url: seen.url, site, until } };
        },
      },
      captive,
    );
    const status = new HomePage(await stage.open(service, { width: 320 }));
    await expectText(status.state, 'Log in to this Wi-Fi');
    await expectText(status.login, 'portal.example');
    await expectText(status.login, 'to every program on this machine');
    await expectFitting(status.page);
    await expectAccessible(status.page);
    await status.press('Allow portal.example for 5 minutes');
    const link = status.login.getByRole('link', { name: 'Open http://portal.example/login' });
    await link.waitFor();
    expect(allowed).toEqual([{ site: 'portal.example', minutes: 5 }]);
    await expect.poll(() => link.getAttribute('rel')).toBe('noopener noreferrer');
    await expectText(status.login, /The login is open: [45]:\d\d left/);
    await expectAccessible(status.page);
  });

  it('needs no permission for an address; the verdict can be ignored, and checked again', async () => {
    const calls: string[] = [];
    const service: ToldService = await told(
      {
        'portal.skip': () => {
          calls.push('skip');
          const portal = { ...seen, site: '192.0.2.7', skipped: true };
          service.tell({ protection: { state: 'refusing', why: 'x' }, portal });
          return { ok: true, value: { portal, text: '' } };
        },
        'portal.check': () => {
          calls.push('check');
          service.tell({
            protection: { state: 'private', upstream: 'quad9', tls: 'TLS 1.3' },
            portal: null,
          });
          return { ok: true, value: { portal: null, text: '' } };
        },
      },
      { ...captive, portal: { ...seen, site: '192.0.2.7', url: 'http://192.0.2.7/' } },
    );
    const status = new HomePage(await stage.open(service, { locale: 'de-DE' }));
    await expectText(status.loginIn('Anmeldung an diesem Netz'), 'Die Seite hat eine Adresse');
    await expectAccessible(status.page);
    await status.press('Das ist keine Anmeldeseite');
    await expectText(status.loginIn('Anmeldung an diesem Netz'), 'Der Befund ist verworfen');
    await status.press('Erneut nachsehen');
    await expectText(status.state, 'Geschützt');
    expect(calls).toEqual(['skip', 'check']);
  });

  it('says by which mechanism the system asks Sotto', async () => {
    const led = { ...dns, wanted: true, taken: true, since: Date.now() };
    const service = await told({}, { systemDns: led });
    const status = new HomePage(await stage.open(service));
    await status.openDetails();
    await expectText(status.content, 'The system asks Sotto through systemd-resolved');
    await status.content.getByRole('button', { name: 'Stop protecting this computer' }).waitFor();
    await expectAccessible(status.page);
  });

  it('says in Troubleshoot which programs ask others, and offers the remedy', async () => {
    let taken = false;
    const service = await told(
      {
        ...toldExamination(() => [taken ? leadsHere : asksOthers]),
        'system.take': () => {
          taken = true;
          return { ok: true, value: details(dns) };
        },
      },
      { systemDns: dns },
    );
    const page = new DiagnosticsPage(await stage.open(service));
    await page.goTo('Troubleshoot');
    await expectText(page.finding('Coverage'), 'getaddrinfo asks 192.0.2.1.');
    await expectAccessible(page.page);
    await page.finding('Coverage').getByRole('button', { name: 'Protect this computer' }).click();
    await expectText(page.content, 'Nothing is wrong');
    await page.page.keyboard.press('Escape');
    await page.unfold();
    await expectText(page.finding('Coverage'), 'getaddrinfo leads here.');
  });

  it('shows on Networks what a network claims, and the person’s answer', async () => {
    const here = {
      id: 'a1b2c3d4e5f6',
      name: null,
      label: '192.0.2.0/24 via 192.0.2.1 on wlan0',
      hints: {
        interface: 'wlan0',
        gateway: '192.0.2.1',
        gatewayMac: null,
        prefix: null,
        domain: 'corp.example',
      },
      policy: null,
      authenticated: false,
      firstSeen: 0,
      lastSeen: 0,
      current: true,
    };
    const link = {
      name: 'wlan0',
      kind: 'ether',
      up: true,
      running: true,
      addresses: ['192.0.2.7/24'],
      resolvers: ['192.0.2.1:53'],
      domains: ['corp.example'],
    };
    const claim: NameClaim = {
      suffix: 'corp.example',
      link: 'wlan0',
      by: 'resolved',
      vpn: false,
      to: ['192.0.2.1:53'],
      state: 'open',
    };
    const service = await told(
      {
        'network.list': () => ({ ok: true, value: { networks: [here], unavailable: null } }),
        'network.show': () => ({
          ok: true,
          value: { network: here, links: [link], confirmed: false },
        }),
        'rule.list': () => ({
          ok: true,
          value: {
            rules: [],
            resting: [],
            inForce: [],
            claims: [claim],
            locked: false,
            lockedBy: null,
            reason: null,
          },
        }),
      },
      {},
    );
    const networks = new HomePage(await stage.open(service, { width: 320 }));
    await networks.goTo('Networks');
    await networks.content.getByText('Details', { exact: true }).click();
    const shown = networks.content.getByRole('link', {
      name: 'corp.example: waits for your answer',
    });
    await shown.waitFor();
    await expectFitting(networks.page);
    await expectAccessible(networks.page);
    await expect.poll(() => shown.getAttribute('href')).toBe('#/exceptions');
  });
});
