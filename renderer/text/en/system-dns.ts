/** Whether the system's own DNS is led here. */
export const systemDns = {
  title: 'System DNS',
  taken: (mechanism: string, since: string) =>
    `The system asks Sotto through ${mechanism}, since ${since}. Its DNS is given back when Sotto quits.`,
  wanted: 'The system is to ask Sotto, but does not yet.',
  own: 'The system asks its own resolvers.',
  givenBackFor: {
    off: 'The system asks its own resolvers while Sotto is off.',
    'no-link': 'No network link is there to be told.',
    contested: 'The system asks its own resolvers, because another program kept changing its DNS.',
  },
  mechanisms: {
    resolved: 'systemd-resolved',
    'network-manager': 'NetworkManager',
    resolvconf: 'resolvconf',
    file: '/etc/resolv.conf',
    macos: 'macOS',
    windows: 'Windows',
  },
} as const;
