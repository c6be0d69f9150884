/** The state of protection, in one sentence. */
export const standingSentences = {
  'state-off': 'Off – unencrypted. The system asks its own resolvers.',
  'state-starting': 'Connecting to {upstream} …',
  'state-private': 'Your queries go to {upstream} over {tls}.',
  'state-asking': "{upstream} can't be reached privately here. Nothing is sent until you decide.",
  'state-exposed': 'Queries leave in cleartext since {since:moment} ({consent}).',
  'state-exposed-until':
    'Queries leave in cleartext since {since:moment} ({consent}, until {until:moment}).',
  'state-refusing': 'No private path: queries are refused. {why}',
  'state-portal': 'This network wants you to log in. DNS stays private meanwhile.',
  'state-paused': 'Paused until {until:moment} – unencrypted.',
  'state-paused-until-restart': 'Paused until Sotto starts again – unencrypted.',
} as const;
