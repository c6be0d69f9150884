/** The first run: three decisions, each with its consequences. */
export const firstRun = {
  title: 'Set up Sotto',
  open: 'Set up Sotto in three steps',
  step: (number: string, of: string) => `Step ${number} of ${of}`,
  next: 'Next',
  back: 'Back',
  skip: 'Skip the setup',
  finish: 'Done',
  locked: (who: string) => `${who} has decided that for this machine; it can’t be changed here.`,
  upstream: {
    title: 'Who answers your queries?',
    means:
      'Whoever you choose sees each name this machine asks for. What is said here is what the operators say about themselves. Others can be added on the page Providers, by address or by DNS stamp.',
    choice: 'Resolver',
    keep: (upstream: string) => `Keep ${upstream}`,
    keepMeans: 'as it is set up now',
    measure:
      'How fast each one is depends on where you are. To measure it, Sotto asks each of them one query without a name; each sees your address.',
  },
  policy: {
    title: 'What if no private path works?',
    means: 'Some networks block encrypted DNS. You can change this at any time.',
    choice: 'Policy',
    policies: {
      refuse: {
        name: 'Refuse',
        means:
          'Names are not resolved until a private path works again; programs are told why. Nothing ever leaves unencrypted.',
      },
      warn: {
        name: 'Warn',
        means:
          'The same, but Sotto asks you, once for each network. If you allow it, whoever runs the network can read the names asked for, for as long as you said.',
      },
      fallback: {
        name: 'Fallback',
        means:
          'Queries leave unencrypted by themselves, and whoever runs the network can read them, until a private path works again. Names always resolve. Each such query is counted in the ledger.',
      },
    },
  },
  programs: {
    title: 'Protect this computer',
    skippable:
      'You can leave this for later: until then this computer asks its network, and Sotto says so.',
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
  skipped: 'Skipped. The commands have it: “Set up Sotto in three steps”.',
} as const;
