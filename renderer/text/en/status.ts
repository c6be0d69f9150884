/** The Status page. Sentences with {places} are filled with emphasised parts. */
export const status = {
  states: {
    private: 'Private',
    starting: 'Starting',
    asking: 'Waiting for you',
    exposed: 'In clear',
    refusing: 'Refusing',
    portal: 'Login wanted',
    paused: 'Paused',
    off: 'Off',
    unknown: 'Unknown',
  },
  sentences: {
    private: 'Your questions go to {upstream} over {tls}.',
    starting: 'Connecting to {upstream} …',
    asking: '{upstream} can’t be reached privately here. Nothing is sent until you decide.',
    exposed: 'Questions leave {clear} on this network since {since}.',
    refusing: 'No private path: questions are refused.',
    portal: 'This network wants you to log in. DNS stays private meanwhile.',
    paused: 'Paused until {until}. Questions go to the system’s own resolvers, in clear.',
    pausedUntilRestart:
      'Paused until Sotto starts again. Questions go to the system’s own resolvers, in clear.',
    off: 'Off. The system asks its own resolvers.',
    unknown: 'Nobody knows what happens to your questions now.',
  },
  inClear: 'in clear',
  upstreams: 'Upstreams',
} as const;
