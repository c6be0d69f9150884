/** The Exceptions page. */
export const exceptions = {
  about: 'What may leave this computer unencrypted, why, and until when.',
  now: {
    title: 'Unencrypted now',
    nothing: 'Nothing may leave unencrypted now.',
    namesOnly: 'Nothing may leave unencrypted now, except queries for the names below.',
  },
  days: {
    title: 'The last 30 days',
    none: (day: string) => `${day}: nothing could leave unencrypted.`,
    some: (day: string, time: string, count: string) =>
      `${day}: ${time} in all, by ${count === '1' ? '1 permission' : `${count} permissions`}.`,
    unknown: (day: string) => `${day}: not known.`,
    noDay: 'On none of these days queries could leave unencrypted, except for the names above.',
    onDays: (count: string, one: boolean) =>
      `On ${one ? '1 day' : `${count} days`} queries could leave unencrypted, beside the names above.`,
    began: (day: string) => `What was before ${day} is not known.`,
    past: 'All exceptions of the past',
  },
  title: 'Company and VPN names',
  namesAbout:
    'Queries for these names go to resolvers of their own, unencrypted: for zones that exist only inside a network. The most specific one holds.',
  none: 'No exception sends a name past the providers.',
  noneWhy:
    'An exception is for a zone that only a resolver inside your network knows, such as corp.example behind a VPN.',
  add: 'Add an exception …',
  more: 'More',
  change: 'Change …',
  changeOf: (suffix: string) => `Change the exception for ${suffix}`,
  remove: 'Remove',
  removeOf: (suffix: string) => `Remove the exception for ${suffix}`,
  when: (condition: string) => ` ${condition}`,
  condition: {
    only: (parts: string) => `only ${parts}`,
    user: (users: string) => `for ${users}`,
    unit: (units: string) => `in ${units}`,
    network: (networks: string) => `on the network ${networks}`,
  },
  conditionForm: {
    title: 'Only for some, or at some times',
    users: 'Accounts',
    units: 'Services of the system',
    networks: 'Networks',
    hints: {
      users: 'Names or numbers, with commas between. Empty: every account.',
      units: 'Such as backup.service, with commas between. Empty: every program.',
      networks: 'As the page Networks calls them, with commas between. Empty: everywhere.',
    },
    wrong: {
      users: 'One of these is neither the name of an account nor its number.',
      units: 'A service of the system has a name such as backup.service.',
      hours: 'Give both times, or neither.',
    },
    from: 'From',
    to: 'Until',
    days: 'On these days (none: every day)',
    moreTimes: (count: number) =>
      count === 1 ? 'One more time stays as it is.' : `${count} more times stay as they are.`,
  },
  inCleartext: (count: string, one: boolean) =>
    one ? '1 unencrypted query' : `${count} unencrypted queries`,
  lockedBy: (who: string) => `The exceptions are set by ${who} and can’t be changed here.`,
  locked: 'The exceptions are set by a policy and can’t be changed here.',
  undo: 'Undo',
  undone: 'Taken back.',
  superseded: 'The settings were changed again since; nothing was taken back.',
  done: {
    added: (suffix: string) => `${suffix} and everything below it goes to its resolvers now.`,
    changed: (suffix: string) => `${suffix} goes to other resolvers now.`,
    removed: (suffix: string) => `The exception for ${suffix} is removed.`,
    imported: 'The exceptions of the file are in force.',
  },
  dialog: {
    addTitle: 'Add an exception',
    changeTitle: (suffix: string) => `Exception for ${suffix}`,
    suffix: 'Suffix',
    suffixHint:
      'corp.example with everything below it, =www.corp.example for it alone, * for single labels, 10.0.0.0/8 for reverse names.',
    suffixFrom: (name: string) => `Proposed for ${name}. A longer suffix takes fewer names along.`,
    suffixProblem:
      'This is no domain name: ASCII letters, digits and hyphens, no wildcard. Nor is it =name, * or a prefix.',
    to: 'Resolvers',
    toHint:
      'IP addresses with optional ports, one a line, in the order in which they are tried; “network” for those of this network, “link:tun0” for those of a link.',
    toMissing: 'Give at least one resolver.',
    toProblem: (address: string) =>
      `${address} is not an IP address with an optional port, nor “network” or a link.`,
    downgrade: 'I mean it: this is a downgrade, and counted as one',
    own: 'This network’s own:',
    use: (address: string) => `Use ${address}`,
    means:
      'Queries for these names leave unencrypted: whoever is on the way to the resolver can read and change them. Each is counted.',
    save: 'Send these names unencrypted',
  },
  claims: {
    title: 'Asked for by networks and VPNs',
    about:
      'VPN links bring the names of their domains along and take them with them. What other networks claim holds only where you allow it; the answer is remembered for the network.',
    wants: '{link} wants to answer {names}.',
    from: (by: string, to: string) => `Told by ${by}: ${to}`,
    states: {
      believed: 'unencrypted, to its link',
      open: 'waits for your answer',
      refused: 'stays encrypted here',
      unconfirmed: 'allowed once a provider has proved itself here',
      'too-wide': 'more than its own: never learned',
      overruled: 'another exception has these names',
      ignored: 'nothing is learned',
    },
    believe: 'Allow',
    believeOf: (suffix: string) => `Allow it for ${suffix}`,
    refuse: 'Keep encrypted',
    refuseOf: (suffix: string) => `Keep encrypted: ${suffix}`,
  },
  import: {
    title: 'Import exceptions',
    open: 'Import …',
    file: 'File',
    fileHint: 'JSON as exported, or a line each: suffix, then resolvers.',
    tooLarge: 'The file is larger than 512 kB; exceptions are not.',
    mode: 'Exceptions that are not in the file',
    modes: { merge: 'stay', replace: 'are removed' },
    nothing: 'The file changes nothing.',
    added: (count: number) => (count === 1 ? '1 new exception' : `${count} new exceptions`),
    changed: (count: number) =>
      count === 1 ? '1 changed exception' : `${count} changed exceptions`,
    removed: (count: number) =>
      count === 1 ? '1 exception removed' : `${count} exceptions removed`,
    unchanged: (count: number) =>
      count === 1 ? '1 exception stays as it is.' : `${count} exceptions stay as they are.`,
    before: (resolvers: string) => `before: ${resolvers}`,
    refused: 'The file can’t be used; nothing was changed.',
    apply: 'Apply',
  },
  export: { json: 'Save as JSON', text: 'Save as text' },
  explain: {
    title: 'Check a name',
    name: 'Name',
    type: 'Type',
    ask: 'Check',
    note: 'Nothing is sent for this.',
    result: 'What would happen',
    sentences: {
      local: '{query} is answered on this machine.',
      bypass: '{query} goes {clear} to {servers}, by the exception for {rule}.',
      bypassLoop:
        '{query} is blocked: all resolvers of the exception for {rule} lead back to Sotto.',
      bypassUnknown:
        '{query} is blocked: the link or network that the exception for {rule} leads to is not there.',
      bypassClosed:
        '{query} is blocked: for the exception for {rule} no permission to send it unencrypted is open.',
      direct: '{query} goes {clear} to the system’s resolver {servers}, because Sotto is {state}.',
      directRefused:
        '{query} is blocked: Sotto is off or paused, and no resolver of the system may be asked.',
      portal:
        '{query} goes {clear} to the network’s resolver {servers}: somebody allowed it for a login.',
      cached: '{query} is answered from the cache; nobody is asked.',
      denied: '{query} is answered from the cache: a name above it does not exist.',
      failed: '{query} failed a moment ago; it is asked again soon.',
      noUpstream: '{query} is blocked: there is no provider to ask.',
      clear:
        '{query} goes {clear}: no encrypted connection to {servers} works, and the policy allows it.',
      private: '{query} goes encrypted to {servers}.',
    },
    next: ', then ',
    states: { off: 'off', paused: 'paused' },
    rule: 'Exception',
    details: 'Details',
    elsewhere: 'Always send it elsewhere …',
    change: 'Change this exception …',
    noRule: 'none',
    origin: 'Learned from',
    fromLink: (link: string, by: string) => `link ${link}, by ${by}`,
    why: 'Why',
    servers: 'Asked, in this order',
    nobody: 'nobody',
    group: 'Group',
    defaultGroup: 'every other name',
    policy: 'Without an encrypted connection',
    policies: {
      refuse: 'it is blocked',
      warn: 'you are asked',
      fallback: 'it leaves unencrypted',
    },
    leaves: 'Unencrypted',
    staysPrivate: 'no',
    kept: 'Cache',
    keptAs: {
      none: 'nothing is kept of it',
      fresh: 'a valid answer is kept',
      denied: 'it is known that a name above does not exist',
      failed: 'it is known that it failed a moment ago',
    },
    rcode: 'Response code',
    conditionOf: {
      rule: (rule: string) => `Condition of ${rule}`,
      group: (group: string) => `Condition of the group ${group}`,
      'refuse-for': (position: string) => `Condition ${position} of “refuseFor”`,
    },
    fits: {
      yes: 'fits',
      no: 'does not fit',
      unknown: 'not known, so the stricter counts',
    },
  },
} as const;
