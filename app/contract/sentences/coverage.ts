/** Whether this machine's programs arrive here, and the coverage gaps: `sotto system probe`. */
export const coverageSentences = {
  'dns-led-here': "The system's DNS is led here by {mechanism}.",
  'programs-ask': 'Programs of this machine ask {others}, not Sotto.',
  'programs-ask-unknown': 'Programs of this machine ask no resolver that is known, not Sotto.',
  'programs-arrive': 'What programs ask of the system (getaddrinfo) arrives here.',
  'programs-coverage-gap': 'What programs ask of the system (getaddrinfo) does not arrive here.',
  'nameserver-leads-here': 'The nameserver {server} of /etc/resolv.conf leads here.',
  'nameserver-leads-past':
    '/etc/resolv.conf also names {server}, which does not lead here: programs that ask it go past Sotto.',
  'link-arrives': 'What is asked on {link} arrives here.',
  'link-coverage-gap':
    'What is asked on {link} does not arrive here: its resolvers are asked directly.',
  'browser-by-policy': '{browser} asks a resolver of its own, by the policy {file}.',
  'browser-by-choice': '{browser} asks a resolver of its own, by the choice kept in {file}.',
  'docker-leads-here': 'Docker sends its containers here.',
  'docker-leads-past': 'Docker sends its containers to {servers} ({file}).',
  'docker-unable':
    'Docker can not lead its containers to a loopback address, and gives them a public resolver instead.',
  'flatpaks-lead-past':
    'Flatpak runs applications with a resolver configuration of their own ({number} installed): they may ask systemd-resolved, and that does not lead here.',
  'virtual-network-leads-past': '{engine} sends its machines or containers to {servers} ({file}).',
  'link-claims-local':
    'The resolvers of {link} claim names below .local, which belong to the local network (mDNS).',
  'dns-fought-for':
    "Another program changes the system's DNS, and meanwhile queries may go past Sotto.",
  'dns-fought-for-closed':
    "Another program changes the system's DNS; what goes past Sotto to port 53 is rejected.",
  'container-leads-past': 'The {engine} container {id} asks {servers}.',
} as const;
