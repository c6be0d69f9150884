import type { systemDns as english } from '../en/system-dns.ts';
import type { Translated } from '../translated.ts';

export const systemDns: Translated<typeof english> = {
  title: 'DNS des Systems',
  taken: (mechanism, since) =>
    `Das System fragt Sotto über ${mechanism}, seit ${since}. Beim Beenden wird sein DNS zurückgegeben.`,
  wanted: 'Das System soll Sotto fragen, tut es aber noch nicht.',
  own: 'Das System fragt seine eigenen Resolver.',
  givenBackFor: {
    off: 'Das System fragt seine eigenen Resolver, solange Sotto aus ist.',
    'no-link': 'Es gibt keine Netzverbindung.',
    contested:
      'Das System fragt seine eigenen Resolver, weil ein anderes Programm sein DNS immer wieder änderte.',
  },
  mechanisms: {
    resolved: 'systemd-resolved',
    'network-manager': 'NetworkManager',
    resolvconf: 'resolvconf',
    file: '/etc/resolv.conf',
    macos: 'macOS',
    windows: 'Windows',
  },
};
