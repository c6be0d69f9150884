/** Programs that ask for others. What they send says nothing of who wanted to know. */

export const forwarders: ReadonlySet<string> = new Set([
  'systemd-resolved',
  'dnsmasq',
  'unbound',
  'named',
  'bind9',
  'knot-resolver',
  'kresd',
  'pdns-recursor',
  'pdns_recursor',
  'coredns',
  'stubby',
  'dnscrypt-proxy',
  'pihole-FTL',
  'AdGuardHome',
  'blocky',
  'smartdns',
  'dnsproxy',
  'connmand',
  'tailscaled',
  'aardvark-dns',
  'nscd',
  'unscd',
  // our own, for containers
  'sotto-bridges',
]);

/** Units in which a forwarder runs that another program has started. */
const unitsWithForwarder = [
  'NetworkManager',
  'connman',
  'docker',
  'libvirtd',
  'virtnetworkd',
  'lxc-net',
  'incus',
  'kresd@1',
];

export const forwarderUnits: readonly string[] = [...forwarders, ...unitsWithForwarder].map(
  (name) => `${name}.service`,
);
