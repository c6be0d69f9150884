/**
 * Browsers that bring a resolver of their own: by an administrator's policy, or by their user's choice. Without these they
 * leave queries to us, because use-application-dns.net does not exist here and no browser knows a resolver on a loopback
 * address. Sources: Mozilla's policy templates (DNSOverHTTPS) and the preference network.trr.mode (2 first, 3 only); Chromium's
 * enterprise policies DnsOverHttpsMode and DnsOverHttpsTemplates, and its "Local State".
 */
import { join } from 'node:path';
import { z } from 'zod';
import { type Said, say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import { warn } from '../../doctor/finding.ts';
import { type Files, readJson } from './read-files.ts';

const firefoxPolicies = [
  '/etc/firefox/policies/policies.json',
  '/usr/lib/firefox/distribution/policies.json',
  '/usr/lib64/firefox/distribution/policies.json',
];
const firefoxProfiles = [
  '.mozilla/firefox',
  'snap/firefox/common/.mozilla/firefox',
  '.var/app/org.mozilla.firefox/.mozilla/firefox',
];
/** `flatpak`: its application, which has ~/.var/app/ID/config in place of ~/.config (docs.flatpak.org, sandbox permissions) */
const chromiums = [
  {
    name: 'Chromium',
    policies: '/etc/chromium/policies',
    state: 'chromium',
    flatpak: 'org.chromium.Chromium',
  },
  {
    name: 'Chrome',
    policies: '/etc/opt/chrome/policies',
    state: 'google-chrome',
    flatpak: 'com.google.Chrome',
  },
  {
    name: 'Edge',
    policies: '/etc/opt/edge/policies',
    state: 'microsoft-edge',
    flatpak: 'com.microsoft.Edge',
  },
  {
    name: 'Brave',
    policies: '/etc/brave/policies',
    state: 'BraveSoftware/Brave-Browser',
    flatpak: 'com.brave.Browser',
  },
];

const firefoxPolicy = z.object({
  policies: z.object({ DNSOverHTTPS: z.object({ Enabled: z.boolean() }) }),
});
const chromiumPolicy = z.object({
  DnsOverHttpsMode: z.string().optional(),
  DnsOverHttpsTemplates: z.string().optional(),
});
const chromiumState = z.object({
  dns_over_https: z.object({ mode: z.string().optional(), templates: z.string().optional() }),
});

/** `home`: of the user as whom the service runs. */
export function findBrowsersPast(files: Files, home: string): Finding[] {
  return [
    ...firefoxPolicies
      .filter((file) => {
        const read = firefoxPolicy.safeParse(readJson(files, file));
        return read.success && read.data.policies.DNSOverHTTPS.Enabled;
      })
      .map((file) => byPolicy('Firefox', file, 'DNSOverHTTPS')),
    ...firefoxProfiles
      .flatMap((folder) => files.list(join(home, folder)))
      .filter((profile) =>
        /"network\.trr\.mode",\s*[23]\)/.test(files.read(join(profile, 'prefs.js')) ?? ''),
      )
      .map((profile) => byChoice('Firefox', profile, say('firefox-doh-off'))),
    ...chromiums.flatMap(({ name, policies, state, flatpak }) => [
      ...['managed', 'recommended']
        .flatMap((kind) => files.list(join(policies, kind)))
        .filter((file) => {
          const read = chromiumPolicy.safeParse(readJson(files, file));
          return (
            read.success && goesPast(read.data.DnsOverHttpsMode, read.data.DnsOverHttpsTemplates)
          );
        })
        .map((file) => byPolicy(name, file, 'DnsOverHttpsMode')),
      ...['.config', `.var/app/${flatpak}/config`]
        .map((settings) => join(home, settings, state, 'Local State'))
        .filter((file) => {
          const read = chromiumState.safeParse(readJson(files, file));
          return (
            read.success &&
            goesPast(read.data.dns_over_https.mode, read.data.dns_over_https.templates)
          );
        })
        .map((file) => byChoice(name, file, say('chromium-doh-off', { browser: name }))),
    ]),
  ];
}

/** "automatic" uses the system's resolver, unless the browser was given one of its own. */
function goesPast(mode: string | undefined, templates: string | undefined): boolean {
  return mode === 'secure' || (mode !== 'off' && (templates ?? '') !== '');
}

function byPolicy(browser: string, file: string, key: string): Finding {
  return warn(
    'coverage',
    say('browser-by-policy', { browser, file }),
    say('take-policy-out', { key }),
    browser,
  );
}

function byChoice(browser: string, where: string, remedy: Said): Finding {
  return warn('coverage', say('browser-by-choice', { browser, file: where }), remedy, browser);
}
