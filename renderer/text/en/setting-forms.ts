/** Fields, choices and refused values of the forms that settings are edited with. */
export const settingForms = {
  fields: {
    names: { label: 'Names', hint: 'Domains with everything below them, one on each line.' },
    downgrade: {
      label: 'Without an encrypted connection',
      hint: 'What happens to these queries then.',
    },
    rungs: { label: 'Unencrypted ways', hint: 'Tried from top to bottom, where they are allowed.' },
    strategy: { label: 'Choice among providers', hint: 'Which provider of the group is asked.' },
    consent: {
      label: 'Who may allow unencrypted queries',
      hint: 'Whose consent counts for this group.',
    },
    when: {
      label: 'Only under a condition',
      hint: 'Everything that is filled in must fit. Elsewhere the names go where they go otherwise.',
    },
    user: { label: 'Accounts', hint: 'Names or numbers, one on each line; one must fit.' },
    unit: {
      label: 'Services of the system',
      hint: 'Such as backup.service, one on each line; one must fit.',
    },
    network: { label: 'Networks', hint: 'As they are called under Networks, one on each line.' },
    hours: { label: 'Times of day', hint: 'One of them must fit.' },
    days: { label: 'Days on which it begins', hint: 'None means every day.' },
    from: { label: 'From', hint: 'Local time, such as 22:00.' },
    to: { label: 'Until', hint: 'Earlier than the beginning: on the next day.' },
    url: { label: 'Page', hint: 'Such as http://example.net/check.txt, not encrypted.' },
    text: { label: 'Its text', hint: 'All of it, as the page holds it.' },
  },
  /** one item of a list, and the button that adds another */
  items: {
    groups: {
      one: 'Group',
      add: 'Add a group',
      none: 'No group yet: every provider answers for every name.',
    },
    refuseFor: {
      one: 'Condition',
      add: 'Add a condition',
      none: 'No condition yet: the policy above decides for every query.',
    },
    hours: { one: 'Time', add: 'Add a time of day', none: 'Any time of day.' },
    probes: { one: 'Page', add: 'Add a page', none: 'No page yet: nobody is asked.' },
  },
  other: { one: 'Entry', add: 'Add an entry', none: 'No entry yet.' },
  numbered: (one: string, position: string) => `${one} ${position}`,
  remove: (one: string) => `Remove ${one}`,
  members: {
    label: 'Providers of this group',
    hint: 'Only these answer for the names below. A provider belongs to one group.',
    missing: (group: string) =>
      `No provider is in ${group}, so nobody would answer for its names. Choose one.`,
    noneLeft:
      'Every provider is in a group, so nobody would answer for other names. Leave one out, or add a provider first.',
  },
  removeShort: 'Remove',
  newName: 'Name of the new group',
  newNameHint: 'Letters, digits, “.”, “_” and “-”. Providers name their group by it.',
  nameTaken: 'There is one of that name. Choose another name.',
  nameWrong:
    'A name begins with a letter or a digit and holds letters, digits, “.”, “_” and “-” only.',
  asElsewhere: 'As in Settings',
  ownChoice: 'A choice of its own',
  ownList: 'These:',
  earlier: (word: string) => `Try earlier: ${word}`,
  words: {
    downgrade: { refuse: 'Block', warn: 'Ask', fallback: 'Allow unencrypted' },
    rungs: {
      unauthenticated: 'Encrypted to whoever answers',
      tcp: 'Unencrypted to the provider, over TCP',
      udp: 'Unencrypted to the provider, over UDP',
      network: 'Unencrypted to the network’s own servers',
    },
    strategy: {
      ordered: 'The first that works',
      fastest: 'The fastest lately',
      race: 'Several at once',
      spread: 'Spread domains among them',
    },
    serveStale: {
      false: 'Never',
      true: 'While no provider can be reached',
      'at-once': 'Always, and ask behind it',
    },
    postQuantum: { prefer: 'Where it can be had', require: 'Always', off: 'Never' },
    consent: { anyone: 'Whoever may control Sotto', administrator: 'Administrators only' },
    pause: { allowed: 'Allowed', code: 'With a code of the help desk' },
    learnRules: {
      vpn: 'VPNs by themselves, others ask',
      ask: 'Always ask',
      off: 'Never',
    },
    systemResolvers: { auto: 'Whom this computer asks by itself' },
    mechanism: {
      auto: 'Found automatically',
      resolved: 'systemd-resolved',
      'network-manager': 'NetworkManager',
      resolvconf: 'resolvconf',
      file: 'The file /etc/resolv.conf',
    },
    close: {
      contested: 'When another program interferes',
      always: 'Always',
      never: 'Never',
    },
    mode: {
      full: 'Whole names',
      domain: 'Domains only',
      counts: 'Numbers only, no names',
      off: 'Nothing',
    },
    days: {
      mon: 'Monday',
      tue: 'Tuesday',
      wed: 'Wednesday',
      thu: 'Thursday',
      fri: 'Friday',
      sat: 'Saturday',
      sun: 'Sunday',
    },
  },
  asText: 'Edit as text',
  asTextHint: 'The value as it stands in the settings file (JSON).',
  textTwice:
    'A name is there twice, so one of its values would be lost. Nothing was changed; remove one or discard the text.',
  textWrong: (line: string) =>
    `Line ${line}: the text ends there, or a comma, a quotation mark or a bracket is missing. Nothing was changed; correct the line or discard the text.`,
  textWrongNear: (line: string, near: string) =>
    `Line ${line}: “${near}” can’t stand there. A comma, a quotation mark or a bracket before it is missing or superfluous. Nothing was changed; correct the line or discard the text.`,
  refused: 'Nothing was changed.',
  wrong: {
    socket: (value: string) =>
      `“${value}” is not an address with a port, such as “127.0.0.1:5300” or “[::1]:5300”.`,
    address: (value: string) =>
      `“${value}” is no address of a resolver, with an optional port, such as “192.0.2.1”, “[2001:db8::1]:53” or “fe80::1%eth0”.`,
    domain: (value: string) =>
      `“${value}” is not a domain such as “corp.example”: write it without a wildcard.`,
    group: (value: string) =>
      `“${value}” can’t name a group: letters, digits, “.”, “_” and “-”, at most 64 of them.`,
    user: (value: string) => `“${value}” is neither the name of an account nor its number.`,
    unit: (value: string) => `“${value}” is not a service such as “backup.service”.`,
    network: (value: string) =>
      `“${value}” can’t name a network: at most 64 characters, none of them invisible.`,
    time: (value: string) => `“${value}” is not a time of day such as “22:00”.`,
    page: (value: string) => `“${value}” is not a page such as “http://example.net/check.txt”.`,
    pageText: 'The text of a page has 1 to 1,000 characters.',
    condition: 'A condition needs an account, a service, a network or a time of day.',
    twice: 'One of the ways is there twice; keep it once.',
    range: (value: string, least: string, most: string) =>
      `“${value}” does not fit: a whole number from ${least} to ${most} is needed.`,
    missing: (field: string) => `“${field}” needs at least one entry.`,
    many: (field: string) => `“${field}” has too many entries; remove some.`,
  },
} as const;
