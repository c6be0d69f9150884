import { expect, test } from 'vitest';
import { findBrowsersPast } from './browsers.ts';
import { findContainersPast } from './containers.ts';
import { findFlatpaksPast } from './flatpak.ts';
import { findClaims } from './links-claiming.ts';
import type { Files } from './read-files.ts';
import { findVirtualNetworksPast } from './virtual-networks.ts';

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
  ...findFlatpaksPast(filesOf(content), home, 'file').map(({ subject }) => subject),
  ...findVirtualNetworksPast(filesOf(content)).map(({ subject }) => subject),
];

const docker = '/etc/docker/daemon.json';
const container = '/var/lib/docker/containers/0123456789abcdef/resolv.conf';
const local = `${home}/.config/chromium/Local State`;
const profile = `${home}/.mozilla/firefox/x.default/prefs.js`;
const policy = '/etc/firefox/policies/policies.json';

const flatpak = '/var/lib/flatpak/app/org.mozilla.firefox';
const resolved = '/run/systemd/resolve/io.systemd.Resolve';
const libvirt = '/etc/libvirt/qemu/networks/default.xml';
const lxc = '/etc/default/lxc-net';

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
  [
    'Chrome by choice, as a Flatpak',
    {
      [`${home}/.var/app/com.google.Chrome/config/google-chrome/Local State`]: {
        dns_over_https: { mode: 'secure' },
      },
    },
    ['Chrome'],
  ],
  ['Flatpaks beside systemd-resolved', { [flatpak]: '', [resolved]: '' }, ['Flatpak']],
  ['Flatpaks without it', { [flatpak]: '' }, []],
  ['systemd-resolved without Flatpaks', { [resolved]: '' }, []],
  ['a network of libvirt as shipped', { [libvirt]: '<network><dns/></network>' }, []],
  [
    'a forwarder for all names',
    { [libvirt]: "<dns><forwarder addr='192.0.2.1'/></dns>" },
    ['libvirt'],
  ],
  [
    'a forwarder for one domain, and one that is this computer',
    { [libvirt]: '<forwarder domain="a" addr="192.0.2.1"/><forwarder addr="127.0.0.1"/>' },
    [],
  ],
  ['LXC as shipped', { [lxc]: 'USE_LXC_BRIDGE="true"\n' }, []],
  [
    'LXC with servers of its own',
    { [lxc]: 'LXC_DHCP_CONFILE=/etc/lxc/dns.conf\n', '/etc/lxc/dns.conf': 'server=192.0.2.1\n' },
    ['LXC'],
  ],
  [
    'LXC with a server for one domain',
    { [lxc]: 'LXC_DHCP_CONFILE=/etc/lxc/dns.conf\n', '/etc/lxc/dns.conf': 'server=/a/192.0.2.1\n' },
    [],
  ],
])('%s', (_what, content, expected) => {
  expect(subjects(content)).toEqual(expected);
});

test('where systemd-resolved itself leads here, Flatpaks arrive', () => {
  const files = filesOf({ [flatpak]: '', [resolved]: '' });
  expect(findFlatpaksPast(files, home, 'resolved')).toEqual([]);
});

test('links that claim .local, and a contest, are rows', () => {
  const link = { interface: 'tun0', servers: [], vpn: true, source: 'resolved' as const };
  const domains = [{ name: 'local', routeOnly: true }];
  const contest = { since: 1, closed: false, constant: false };
  const claims = findClaims({ links: [{ ...link, domains }] }, { contest });
  expect(claims.map(({ subject }) => subject)).toEqual(['tun0', 'system DNS']);
  const others = { ...link, domains: [{ name: 'local.example', routeOnly: true }] };
  expect(findClaims({ links: [others] }, null)).toEqual([]);
});
