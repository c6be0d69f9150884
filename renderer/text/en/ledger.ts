/** The page of all exceptions, past ones included. Classes are called as on Home. */
export const ledger = {
  about:
    'Every permission to send queries unencrypted: who gave it, why, until when, and how often it was used. It is on disk before the first query leaves.',
  open: 'Open now',
  noneOpen: 'Nothing may leave unencrypted now.',
  closed: 'Ended',
  never: 'Nothing ever left unencrypted.',
  neverWhy:
    'No permission to do so was ever given on this computer. Should one be given – by an exception, by you, or by switching Sotto off – it stands here before it is used.',
  dayOf: (day: string) => `In force on ${day}`,
  everyDay: 'Show every day',
  noneOfDay: 'No permission to send unencrypted was in force on this day, as far as is known.',
  noneOfClass: 'No permission of this kind was ever given.',
  class: 'Kind',
  all: 'all kinds',
  export: 'Save as CSV',
  group: (group: string) => `group ${group}`,
  counted: (count: string, one: boolean) =>
    one ? '1 unencrypted query' : `${count} unencrypted queries`,
  uncounted: 'Nobody could count',
  rows: (count: string) => `${count}: show them in Queries`,
  facts: {
    why: 'Why',
    who: 'Allowed by',
    network: 'Network',
    since: 'Since',
    until: 'Until',
  },
  summary: {
    from: (since: string) => `from ${since}`,
    span: (since: string, until: string) => `${since} to ${until}`,
    by: 'allowed by {who}, network: {where}',
    ended: 'ended: {why}',
  },
  anyNetwork: 'any',
  left: (countdown: string) => `${countdown} left`,
  noEnd: 'until it is ended',
  stop: {
    action: 'Stop',
    policy: 'Stop: stay encrypted on this network',
    off: 'Stop: turn protection on',
    paused: 'Stop: resume protection',
    bypass: (rule: string) => `Stop: remove the exception for ${rule}`,
  },
  stopped: 'Ended. Nothing leaves by this permission any more.',
  list: (rules: string) => `${rules} exceptions together`,
  clearUpstreams:
    'It ends when a provider that can be asked encrypted takes the place of those without.',
  means: {
    none: 'Nothing left unencrypted.',
    policy: 'No provider could be reached encrypted, and the policy or a person allowed it.',
    off: 'Sotto was switched off; the system’s own resolvers were asked.',
    paused: 'Sotto was paused; the system’s own resolvers were asked.',
    bypass: 'Names of an exception go to resolvers of their own.',
    portal: 'The network’s login page needed it.',
    'service-down': 'Sotto did not run, and the system’s resolvers were asked.',
    contested:
      'Another program or the network changes the system’s DNS, and whoever it names is asked.',
    explicit: 'A command asked a server directly, unencrypted.',
  },
} as const;
