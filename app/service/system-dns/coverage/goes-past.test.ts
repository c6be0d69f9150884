import { expect, test } from 'vitest';
import { findBrowsersPast } from './browsers.ts';
import { findContainersPast } from './containers.ts';
import type { Files } from './read-files.ts';

const home = '/home/ann';

function filesOf(content: Record<string, unknown>): Files {
  const names = Object.keys(content);
  return {
    read(file) {
      const found = content[file];
      if (found === undefined) return null;
      return typeof found === 'string' ? found : JSON.stringify(found);
    },
    list: (folder) => [
      ...new Set(
        names
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) =>
            name
              .split('/')
              .slice(0, folder.split('/').length + 1)
              .join('/'),
          ),
      ),
    ],
  };
}

const subjects = (content: Record<string, unknown>) => [
  ...findBrowsersPast(filesOf(content), home).map(({ subject }) => subject),
  ...findContainersPast(filesOf(content), home, ['172.17.0.1:53', '127.0.0.1:53'])
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ subject }) => subject),
];

const docker = '/etc/docker/daemon.json';
const container = '/var/lib/docker/containers/0123456789abcdef/resolv.conf';
const local = `${home}/.config/chromium/Local State`;
const profile = `${home}/.mozilla/firefox/x.default/prefs.js`;
const policy = '/etc/firefox/policies/policies.json';

test.each<[string, Record<string, unknown>, string[]]>([
  ['nothing installed', {}, []],
  [
    'Firefox by policy',
    { [policy]: { policies: { DNSOverHTTPS: { Enabled: true } } } },
    ['Firefox'],
  ],
  [
    'Firefox told to leave it',
    { [policy]: { policies: { DNSOverHTTPS: { Enabled: false } } } },
    [],
  ],
  ['a policy that is no JSON', { [policy]: '{' }, []],
  ['Firefox by choice', { [profile]: 'user_pref("network.trr.mode", 3);' }, ['Firefox']],
  ['Firefox as shipped', { [profile]: 'user_pref("network.trr.mode", 0);' }, []],
  ['Firefox told off', { [profile]: 'user_pref("network.trr.mode", 5);' }, []],
  [
    'Chromium by choice',
    { [local]: { dns_over_https: { mode: 'secure', templates: '' } } },
    ['Chromium'],
  ],
  ['Chromium as shipped', { [local]: { dns_over_https: { mode: 'automatic' } } }, []],
  [
    'Chrome by policy, with a resolver of its own',
    { '/etc/opt/chrome/policies/managed/a.json': { DnsOverHttpsTemplates: 'https://x/{?dns}' } },
    ['Chrome'],
  ],
  [
    'Edge told off',
    {
      '/etc/opt/edge/policies/managed/a.json': {
        DnsOverHttpsMode: 'off',
        DnsOverHttpsTemplates: 'x',
      },
    },
    [],
  ],
  ['Docker without a word', { [docker]: {} }, ['Docker']],
  ['Docker sent elsewhere', { [docker]: { dns: ['192.0.2.1'] } }, ['Docker']],
  ['Docker sent here', { [docker]: { dns: ['172.17.0.1'] } }, []],
  [
    'a running container that asks elsewhere',
    { [docker]: { dns: ['172.17.0.1'] }, [container]: 'nameserver 8.8.8.8\n' },
    ['Docker 0123456789ab'],
  ],
  [
    'containers that ask us, or through the embedded resolver',
    {
      [docker]: { dns: ['172.17.0.1'] },
      [container]: 'nameserver 172.17.0.1\nnameserver 127.0.0.11\n',
    },
    [],
  ],
  [
    'a container of Podman',
    {
      '/var/lib/containers/storage/overlay-containers/fedc/userdata/resolv.conf':
        'nameserver 1.1.1.1',
    },
    ['Podman fedc'],
  ],
])('%s', (_what, content, expected) => {
  expect(subjects(content)).toEqual(expected);
});
