import type { TrayWords } from './words.ts';

const minutes = (count: number) => (count === 1 ? '1 minute' : `${count} minutes`);
const counted = new Intl.NumberFormat('en');

export const en: TrayWords = {
  sentence(protection, left) {
    switch (protection.state) {
      case 'off':
        return 'Off. The system asks its own resolvers.';
      case 'starting':
        return `Connecting to ${protection.upstream} …`;
      case 'private':
        return `Private: ${protection.upstream} over ${protection.tls}.`;
      case 'asking':
        return `${protection.upstream} can’t be reached privately here. Nothing is sent until you decide.`;
      case 'exposed':
        return left === null
          ? 'Questions leave in clear on this network.'
          : `Questions leave in clear on this network, ${minutes(left)} left.`;
      case 'refusing':
        return 'No private path: questions are refused.';
      case 'portal':
        return 'This network wants you to log in. DNS stays private meanwhile.';
      case 'paused':
        return left === null
          ? 'Paused until Sotto starts again.'
          : `Paused, ${minutes(left)} left.`;
    }
  },
  upstream: (id, rttMs) => (rttMs === null ? id : `${id} · ${Math.round(rttMs)} ms`),
  retry: 'Try the private path again',
  allow: (count) => `Allow clear questions for ${minutes(count)}`,
  stayPrivate: 'Stay private',
  askOf: (group, upstream) => (group === '' ? upstream : `${group}: ${upstream}`),
  openLogin: 'Open login',
  closeLogin: (left) => (left === null ? 'Close login' : `Close login (${minutes(left)} left)`),
  noLogin: 'This is no login page',
  claim: (suffix) => `This network claims ${suffix}`,
  moreClaims: (count) => (count === 1 ? '1 more claim …' : `${count} more claims …`),
  believe: 'Believe',
  disbelieve: 'Don’t believe',
  systemDnsOwn: 'The system asks its own resolvers',
  systemDnsTaken: 'The system asks Sotto, until Sotto quits',
  systemDnsWanted: 'The system does not ask Sotto yet',
  takeSystemDns: 'Let the system ask Sotto',
  giveBackSystemDns: 'Give the system’s DNS back',
  inClear: ({ class: kind, rule, count }) => {
    const why = { policy: 'no private path', bypass: rule === '' ? 'bypass' : rule }[
      kind as 'policy' | 'bypass'
    ];
    return `In clear (${why ?? kind}): ${count === null ? 'not counted' : counted.format(count)}`;
  },
  trouble: ({ title, subject }) => (subject === '' ? title : `${title} (${subject})`),
  pause: 'Pause',
  pauseFor: (count) => (count === 60 ? 'For 1 hour' : `For ${minutes(count)}`),
  pauseUntilRestart: 'Until Sotto starts again',
  resume: (left) => (left === null ? 'Resume' : `Resume (${minutes(left)} left)`),
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  connecting: 'Looking for the service …',
  lost: ({ message, remedy }) => `${message}. To do: ${remedy}.`,
  tryAgain: 'Try again',
  open: 'Open Sotto',
  copyDiagnostics: 'Copy diagnostics',
  startAtLogin: 'Start at login',
  quit: 'Quit (the service goes on)',
  quitAll: 'Quit Sotto',
  notice: {
    asking: (upstream) => ({
      title: 'No private path here',
      body: `${upstream} can’t be reached privately. Nothing is sent until you decide.`,
    }),
    portal: (site) => ({
      title: 'This network wants you to log in',
      body: `${site === null ? 'It' : site} lets nothing through until then. DNS stays private meanwhile.`,
    }),
    claim: (suffix, link) => ({
      title: `This network claims ${suffix}`,
      body: `Believed, its names are asked of ${link}, in clear. Until you decide they are asked privately.`,
    }),
    exposed: (network) => ({
      title: 'Questions leave in clear',
      body: `No private path works on ${network}. Each question is counted in the ledger.`,
    }),
    trouble: ({ title, text }) => ({ title, body: text }),
  },
  login: {
    title: 'Log in to this network',
    left: (clock) => `${clock} left`,
    inClear: 'not encrypted',
    over: 'The login is closed',
    beginAgain: 'The page is out of reach now: “Begin again” opens its way anew.',
    through: 'I’m through',
    again: 'Begin again',
    close: 'Close',
    loading: 'The page is being fetched …',
    checking: 'Looking whether a private path stands …',
    notYet: 'No private path yet: the network still lets nothing through.',
    failed: ({ why, certificate, triesAgain }) => {
      if (certificate) return `Not shown: nobody vouches for this page’s certificate (${why}).`;
      const then = triesAgain ? 'Trying again …' : '“Begin again” tries once more.';
      return `The page doesn’t answer (${why}). ${then}`;
    },
  },
};
