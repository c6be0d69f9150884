/** The rows of the coverage map, and what it can't see. */
export const coverageMapSentences = {
  'counted-around':
    '{who} sent {count} {count|query or connection|queries or connections} past Sotto to {to}.',
  'counted-around-hidden':
    "Another user's program sent {count} {count|query or connection|queries or connections} past Sotto to {to}.",
  'counted-behind':
    '{from}, behind {interface}, sent {count} {count|query or connection|queries or connections} to {to} through this computer.',
  'counted-others':
    'More programs than can be told apart sent {count} {count|query or connection|queries or connections} past Sotto to {to}; {rejected} more {rejected|was|were} rejected.',
  'counted-rejected': '{rejected} more {rejected|was|were} rejected.',
  'counted-all-rejected':
    'What {who} sent to {to} was rejected, {rejected} {rejected|time|times}; nothing left.',
  'counted-all-rejected-hidden':
    "What another user's program sent to {to} was rejected, {rejected} {rejected|time|times}; nothing left.",
  'connection-around':
    '{who} has {count} {count|connection|connections} to {to}, the address of a resolver.',
  'connection-around-hidden':
    "Another user's program has {count} {count|connection|connections} to {to}, the address of a resolver.",
  'seldom-around': 'It was too seldom to count in the verdict.',
  'fix-program':
    "let it use the system's resolver: look for a DNS server or DNS over HTTPS among its settings",
  'fix-behind':
    'let Sotto listen on the address that this computer has there (setting "listen"), and name that as its resolver',
  'fix-other-computer': 'change its resolver there; it is another computer',
  'fix-others':
    'a program that sends to hundreds of addresses, or runs in hundreds of control groups, hides others: look for it with "ss -tunp"',
  'fix-nothing-left': 'nothing left; to stop it, change the resolver among its settings',
  'limit-uncounted': 'Packets can not be counted here: {why}.',
  'limit-https':
    'DNS over HTTPS looks like any other connection: only connections to known resolvers are seen, and only those that live when Sotto looks, twice a minute.',
  'limit-raw':
    'Programs of root that make their packets themselves (packet sockets) are not counted, nor are containers that are bridged to a network.',
  'limit-profiles':
    "Sotto's service may not read the settings of people's browsers; sotto coverage adds those of the person who runs it.",
} as const;
