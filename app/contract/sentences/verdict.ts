/** The verdict on this computer's queries: headlines, and the sentences below them, for page, tray and command line. */
export const verdictSentences = {
  'headline-protected': 'Protected',
  'headline-not-in-use': 'Not in use yet',
  'headline-partly': 'Partly protected',
  'headline-connecting': 'Connecting',
  'headline-choose': 'Your choice',
  'headline-unencrypted': 'Unencrypted',
  'headline-blocked': 'Blocked',
  'headline-log-in': 'Log in to this Wi-Fi',
  'headline-paused': 'Paused until {until:moment} – unencrypted',
  'headline-paused-until-restart': 'Paused until Sotto starts again – unencrypted',
  'headline-off': 'Off – unencrypted',
  'headline-not-responding': 'Not responding',

  'verdict-protected': "{upstream} answers this computer's queries, encrypted.",
  'verdict-not-in-use': 'Sotto works, but this computer asks somebody else.',
  'verdict-asks-elsewhere': 'This computer asks somebody else, not Sotto.',
  'verdict-reached': 'Programs that were pointed at Sotto by hand are answered, encrypted.',
  'verdict-reached-unencrypted':
    'What reaches Sotto leaves unencrypted, too, since {since:moment}.',
  'verdict-around-programs': '{programs} {number|goes|go} around Sotto.',
  'verdict-around-containers':
    '{containers} {containers|container goes|containers go} around Sotto.',
  'verdict-around-both':
    '{programs} and {containers} {containers|container|containers} go around Sotto.',
  'verdict-around-some': 'Some programs go around Sotto.',
  'verdict-around-counted':
    '{count} {count|query or connection|queries or connections} went past it since {since:moment}.',
  'verdict-connecting': 'Connecting to {upstream} …',
  'verdict-checking': "Checking that this computer's queries reach Sotto …",
  'verdict-no-link': 'Waiting for a network …',
  'verdict-choose': "{upstream} can't be reached encrypted here. Nothing is sent until you decide.",
  'verdict-unencrypted': 'Queries leave unencrypted here.',
  'verdict-unencrypted-since': 'Queries leave unencrypted here since {since:moment}.',
  'verdict-unencrypted-until':
    'Queries leave unencrypted here since {since:moment}; it was allowed, {until:left} left.',
  'verdict-contested':
    "Another program or the network took this computer's DNS over: queries leave unencrypted.",
  'verdict-contested-since':
    "Another program or the network took this computer's DNS over: queries leave unencrypted since {since:moment}.",
  'verdict-contested-closed':
    "Another program or the network took this computer's DNS over: queries are blocked, not leaked, until Sotto has it back.",
  'verdict-contested-again':
    "Another program or the network keeps changing this computer's DNS; what it leads away leaves unencrypted.",
  'verdict-blocked': 'No encrypted connection: queries are blocked, not leaked.',
  'verdict-log-in': 'Queries wait until you are logged in; none leaves unencrypted.',
  'verdict-log-in-waits': 'Queries wait until you are logged in.',
  'verdict-asks-network': 'This computer asks its network, unencrypted.',
  'verdict-exceptions': '{exceptions} {exceptions|exception is|exceptions are} in force.',
} as const;
