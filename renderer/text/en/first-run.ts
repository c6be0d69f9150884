/** The first run: three decisions, each with its consequences. */
export const firstRun = {
  title: 'Set up Sotto',
  open: 'Set up Sotto in three steps',
  step: (number: string, of: string) => `Step ${number} of ${of}`,
  next: 'Next',
  back: 'Back',
  skip: 'Skip',
  later: 'Not now',
  finish: 'Done',
  locked: (who: string) => `${who} has set this for this computer, so it can’t be changed here.`,
  upstream: {
    title: 'Who answers your queries?',
    means: 'Whoever you choose sees every name that this computer looks up.',
    choice: 'Provider',
    keep: (upstream: string) => `Keep ${upstream}`,
    keepMeans: 'As it is set up now.',
    /** by the id in the catalogue; what operators say about themselves */
    about: {
      quad9:
        'A foundation in Switzerland. Blocks malware and phishing; says it keeps no addresses.',
      'quad9-unfiltered': 'The same foundation. Blocks nothing.',
      cloudflare:
        'A company in the United States. Blocks nothing; says it deletes its records within 25 hours.',
      google:
        'A company in the United States. Blocks nothing; says it keeps addresses for up to 48 hours.',
    },
    more: 'More',
    others: 'You can add any other on the page Providers later.',
    measure: 'Measure from here',
    measureMeans:
      'Sotto then sends each of them one query without a name; each sees the address of this computer.',
    measuring: 'Measuring …',
    answers: (latency: string) => `answers in ${latency}`,
    unreachable: 'could not be reached',
  },
  policy: {
    title: 'What if no encrypted connection works?',
    means: 'Some networks prevent it. You can change this at any time.',
    choice: 'Without an encrypted connection',
    policies: {
      refuse: {
        name: 'Block',
        means: 'Names are not looked up until an encrypted connection works, and nothing leaks.',
      },
      warn: {
        name: 'Ask',
        means: 'Sotto asks you, once for each network, and sends nothing until you answer.',
      },
      fallback: {
        name: 'Allow',
        means: 'Queries leave unencrypted by themselves, and whoever runs the network reads them.',
      },
    },
  },
  programs: {
    title: 'Protect this computer',
    none: 'Sotto has found no way to lead all programs of this computer to it. Single programs can ask it.',
    one: 'Try it with one program first',
    means: 'Sotto answers on this machine at {address}. Try it in a terminal:',
    nowhere: 'Sotto listens at no address now, so no program can ask it.',
    copy: 'Copy',
    copied: 'Copied.',
    notCopied: 'This browser does not let the page copy; select the line instead.',
    after:
      'Each query is counted on the page Home, and listed on the page Queries unless you turn that off.',
  },
  done: 'Sotto is set up.',
  notYet: 'Not in use yet. The search field has it: “Set up Sotto in three steps”.',
} as const;
