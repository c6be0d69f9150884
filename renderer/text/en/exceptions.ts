/** The Exceptions page. */
export const exceptions = {
  about: 'What may leave this computer unencrypted, and who allowed it.',
  title: 'Company and VPN names',
  titleAbout:
    'Names of an exception go to its resolvers, unencrypted: for zones that exist only inside a network. The most specific exception wins.',
  now: {
    title: 'Unencrypted now',
    nothing: 'No exception is in force: Sotto sends nothing unencrypted.',
  },
  days: {
    title: 'The last 30 days',
    all: 'All exceptions of the past',
    calm: 'Sotto sent nothing unencrypted but the names of exceptions.',
    sum: (days: number, duration: string) =>
      days === 1
        ? `Queries of any name could leave unencrypted on 1 day, for ${duration} in all.`
        : `Queries of any name could leave unencrypted on ${days} days, for ${duration} in all.`,
    since: (moment: string) => `Nothing is known of the time before ${moment}.`,
    today: 'today',
    unknown: 'not known',
    inPart: 'known in part',
    nothing: 'nothing unencrypted',
    lasted: (duration: string, times: number) =>
      times === 1
        ? `unencrypted for ${duration}, once`
        : `unencrypted for ${duration}, ${times} times`,
    names: (count: number) =>
      count === 1 ? 'the names of 1 exception' : `the names of ${count} exceptions`,
    legend: {
      minutes: 'any name, by its time',
      names: 'names of exceptions',
      unknown: 'not known',
    },
  },
  none: 'No exception sends a name past the providers.',
  noneWhy:
    'An exception is for a zone that only a resolver inside your network knows, such as corp.example behind a VPN.',
  add: 'Add an exception …',
  more: 'More',
  change: 'Change …',
  changeOf: (suffix: string) => `Change the exception for ${suffix}`,
  remove: 'Remove',
  removeOf: (suffix: string) => `Remove the exception for ${suffix}`,
  when: {
    user: (names: string) => `only for the account ${names}`,
    unit: (names: string) => `only for ${names}`,
    network: (names: string) => `only in the network ${names}`,
    hours: (windows: string) => `only ${windows}`,
    from: (begin: string, end: string) => `${begin} to ${end}`,
    days: { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' },
    or: ' or ',
  },
  goesTo: (resolvers: string) => `goes to ${resolvers}`,
  targets: {
    network: 'the resolvers of this network',
    link: (link: string) => `the resolvers of ${link}`,
  },
  rests: 'does not hold here and now',
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
    suffix: 'Domain',
    suffixHint:
      'corp.example with everything below it, =www.corp.example for it alone, * for single labels, 10.0.0.0/8 for reverse names.',
    suffixFrom: (name: string) => `Proposed for ${name}. A longer domain takes fewer names along.`,
    suffixProblem:
      'This is no domain name: ASCII letters, digits and hyphens, no wildcard. Nor is it =name, * or a prefix.',
    to: 'Answered by',
    toHint:
      'IP addresses with optional ports, one a line, in the order in which they are tried; “network” for those of this network, “link:tun0” for those of a link.',
    toMissing: 'Give at least one resolver.',
    toProblem: (address: string) =>
      `${address} is not an IP address with an optional port, nor “network” or a link.`,
    downgrade: 'I mean it: this is a downgrade, and counted as one',
    own: 'This network’s own:',
    use: (address: string) => `Use ${address}`,
    onlyAdministrator:
      'Only an administrator may send more unencrypted: other names, other resolvers, or a wider condition. Nothing was changed.',
    means:
      'Queries for these names leave unencrypted: whoever is on the way to the resolver can read and change them. Each is counted.',
    save: 'Send these names unencrypted',
  },
  condition: {
    title: 'Only under conditions',
    about:
      'The exception holds only where all of them fit. Several values are separated by commas.',
    network: 'Networks',
    networkHint: 'as the page Networks calls them',
    unit: 'Programs',
    unitHint: 'services of the system, such as backup.service',
    unitProblem: (word: string) => `${word} is not a service such as backup.service.`,
    user: 'Accounts',
    userHint: 'whose programs, by name or number',
    userProblem: (word: string) => `${word} is not the name or number of an account.`,
    tooMany: 'More than 16 values: use a wider one.',
    hours: 'Hours',
    from: 'From',
    to: 'Until',
    hoursHint: 'Such as 22:00 to 06:00. Without a day, on every day.',
    addHours: 'Add hours',
    removeHours: (place: number) => `Remove hours ${place}`,
    hoursProblem: 'Give both times, such as 22:00.',
  },
  claims: {
    waiting: 'Waiting for your answer',
    waitingAbout:
      'Until you answer, these names stay encrypted. The answer is remembered for the network.',
    wants: '{link} wants to answer {names}.',
    title: 'Names that VPNs and networks bring',
    about: 'A VPN brings the names of its own domains along, and takes them with it.',
    from: (link: string, by: string, to: string) => `${link}, by ${by}: ${to}`,
    everyName: 'every name',
    states: {
      believed: 'unencrypted, to its link',
      open: 'waits for your answer',
      refused: 'kept encrypted here',
      unconfirmed: 'allowed once a provider has proved itself here',
      'too-wide': 'more than its own: never learned',
      'answered-here': 'Sotto answers these names itself',
      overruled: 'another exception has these names',
      ignored: 'nothing is learned',
    },
    allow: 'Allow',
    allowOf: (suffix: string, link: string) => `Allow ${link} to answer ${suffix}`,
    keep: 'Keep encrypted',
    keepOf: (suffix: string) => `Keep encrypted: ${suffix}`,
    allowed: (suffix: string, link: string) => `${link} answers ${suffix} now, unencrypted.`,
    kept: (suffix: string) => `${suffix} stays encrypted.`,
  },
  import: {
    title: 'Import exceptions',
    open: 'Import …',
    file: 'File',
    fileHint: 'JSON as exported, or a line each: domain, then resolvers.',
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
    ask: 'Check',
    note: 'Nothing is sent for this. A record type may follow the name: corp.example AAAA.',
    result: 'What would happen',
    elsewhere: 'Send elsewhere …',
    removeRule: 'Remove the exception',
    keep: 'Keep encrypted',
    details: 'Details',
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
      expired:
        '{query} is answered at once with an expired answer, and goes encrypted to {servers} behind it.',
      noUpstream: '{query} is blocked: there is no provider to ask.',
      clear:
        '{query} goes {clear}: {servers} can’t be reached encrypted, and the policy allows it.',
      private: '{query} goes encrypted to {servers}.',
    },
    next: ', then ',
    states: { off: 'off', paused: 'paused' },
    rule: 'Exception',
    noRule: 'none',
    origin: 'Learned from',
    fromLink: (link: string, by: string) => `link ${link}, by ${by}`,
    why: 'Why',
    servers: 'Asked, in this order',
    nobody: 'nobody',
    group: 'Group',
    defaultGroup: 'every other name',
    policy: 'Where nobody can be reached encrypted',
    policies: {
      refuse: 'it is blocked',
      warn: 'you are asked',
      fallback: 'it leaves unencrypted, down the ladder',
    },
    leaves: 'Unencrypted',
    staysPrivate: 'no',
    kept: 'Cache',
    keptAs: {
      none: 'nothing is kept of it',
      fresh: 'a valid answer is kept',
      denied: 'it is known that a name above does not exist',
      failed: 'it is known that it failed a moment ago',
      expired: 'an expired answer is kept',
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
