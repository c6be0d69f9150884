import { protectSentences } from '../../contract/sentences/protect.ts';
import { verdictSentences } from '../../contract/sentences/verdict.ts';
import { momentIn } from './moment.ts';
import type { TrayWords } from './words.ts';

const minutes = (count: number) => (count === 1 ? '1 minute' : `${count} minutes`);
const counted = new Intl.NumberFormat('en');

export const en: TrayWords = {
  verdict: verdictSentences,
  moment: momentIn('en-GB'),
  minutes,
  upstream: (id, rttMs) => (rttMs === null ? id : `${id} · ${Math.round(rttMs)} ms`),
  providers: 'Providers',
  resting: (id) => `${id} · no connection`,
  chooseProvider: 'Choose and compare …',
  retry: 'Retry',
  allow: (count) => `Allow unencrypted for ${minutes(count)}`,
  stayPrivate: 'Stay protected',
  requestOf: (group, upstream) => (group === '' ? upstream : `${group}: ${upstream}`),
  openLogin: 'Open login page',
  closeLogin: (left) => (left === null ? 'Close login' : `Close login (${minutes(left)} left)`),
  noLogin: 'This is no login page',
  claim: (suffix) => `This network claims ${suffix}`,
  moreClaims: (count) => (count === 1 ? '1 more claim …' : `${count} more claims …`),
  believe: 'Allow',
  disbelieve: 'Keep encrypted',
  protect: protectSentences,
  howToFix: 'How to fix',
  otherProvider: 'Other provider',
  stop: 'Stop',
  inCleartext: ({ class: kind, rule, count }) => {
    const why = { policy: 'no encrypted connection', bypass: rule === '' ? 'exception' : rule }[
      kind as 'policy' | 'bypass'
    ];
    return `Unencrypted (${why ?? kind}): ${count === null ? 'not counted' : counted.format(count)}`;
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
  quit: {
    tray: 'Quit the tray',
    trayWhileRunning: 'Quit the tray (Sotto’s service goes on)',
    trayWhileTaken: 'Quit the tray (this computer goes on asking Sotto)',
    all: 'Quit Sotto (its service ends, too)',
    allAndGiveBack: 'Quit Sotto (this computer asks its network again)',
  },
  notice: {
    asking: (upstream) => ({
      title: verdictSentences['headline-choose'],
      body: `${upstream} can’t be reached encrypted here. Nothing is sent until you decide.`,
    }),
    portal: (site) => ({
      title: verdictSentences['headline-log-in'],
      body: `${site === null ? 'It' : site} lets nothing through until then. None of your queries leaves unencrypted meanwhile.`,
    }),
    claim: (suffix, link) => ({
      title: `This network claims ${suffix}`,
      body: `If you allow it, queries for its names go to ${link}, unencrypted. Until you decide they stay encrypted.`,
    }),
    exposed: (network) => ({
      title: verdictSentences['headline-unencrypted'],
      body: `No encrypted connection works on ${network}: queries leave unencrypted. Each is counted.`,
    }),
    trouble: ({ title, text }) => ({ title, body: text }),
  },
  login: {
    title: 'Log in to this network',
    left: (clock) => `${clock} left`,
    inCleartext: 'not encrypted',
    over: 'The login is closed',
    beginAgain: 'The page is out of reach now: “Begin again” opens its way anew.',
    through: 'I’m through',
    again: 'Begin again',
    close: 'Close',
    loading: 'The page is being fetched …',
    checking: 'Looking whether an encrypted connection stands …',
    notYet: 'No encrypted connection yet: the network still lets nothing through.',
    failed: ({ why, certificate, triesAgain }) => {
      if (certificate) return `Not shown: nobody vouches for this page’s certificate (${why}).`;
      const then = triesAgain ? 'Trying again …' : '“Begin again” tries once more.';
      return `The page doesn’t answer (${why}). ${then}`;
    },
  },
};
