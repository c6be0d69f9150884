/** The state of protection, in one sentence. */
export const standingSentences = {
  'state-off': 'Off – unencrypted. The system asks its own resolvers.',
  'state-starting': 'Connecting to {upstream} …',
  'state-private': 'Your questions go to {upstream} over {tls}.',
  'state-asking': "{upstream} can't be reached privately here. Nothing is sent until you decide.",
  'state-exposed': 'Questions leave in clear since {since:moment} ({consent}).',
  'state-exposed-until':
    'Questions leave in clear since {since:moment} ({consent}, until {until:moment}).',
  'state-refusing': 'No private path: questions are refused. {why}',
  'state-portal': 'This network wants you to log in. DNS stays private meanwhile.',
  'state-paused': 'Paused until {until:moment} – unencrypted.',
  'state-paused-until-restart': 'Paused until Sotto starts again – unencrypted.',
} as const;
