/** A network that wants a login, on Home. */
export const portal = {
  title: 'Login to this network',
  evidence: {
    api: 'The network itself says so.',
    'network-manager': 'NetworkManager says so.',
    address: 'A page came from an address at which nobody answers.',
    names: 'Pages whose text is known came back changed.',
  },
  from: (site: string) => `The page is that of ${site}.`,
  window:
    'It opens in a window of its own, which alone can reach it. What you type there, you tell this network.',
  windowOpen: 'Its window is open. What you type there, you tell this network.',
  open: 'Open login page',
  show: 'Show its window',
  skip: 'This is no login page',
  check: 'Look again',
  checking: 'Looking …',
  private: 'An encrypted connection works again.',
  still: 'No encrypted connection works yet.',
  skipped:
    'The verdict is set aside: policy goes on as if there were no login page, until the network changes.',
  left: (countdown: string) => `The login is open: ${countdown} left.`,
  close: 'Close login',
  browser: {
    address: (url: string) => `Open ${url}`,
    direct: 'The page has an address, so no name needs to be looked up: open it, then log in.',
    means: (site: string, duration: string) =>
      `To open it, this browser must look up ${site}. For ${duration}, this network answers for that one name, to every program on this machine; every other name stays encrypted. It is counted.`,
    allow: (site: string, duration: string) => `Allow ${site} for ${duration}`,
    next: 'Log in there, then come back: as soon as an encrypted connection works, the permission ends.',
  },
} as const;
