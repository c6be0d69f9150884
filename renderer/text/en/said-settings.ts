/** Every setting as the window says it: its name, one sentence, and further words that find it. The declared help stands under Details. */
import type { SettingKey } from '../../../app/contract/settings/settings.ts';

export interface SaidSetting {
  label: string;
  about: string;
  /** words that find it, parted by blanks */
  also: string;
}

export const saidSettings: Record<SettingKey, SaidSetting> = {
  listen: {
    label: 'Addresses for programs',
    about: 'Where programs of this computer ask Sotto.',
    also: 'listen port address bind loopback socket',
  },
  upstreams: {
    label: 'Providers',
    about: 'Who answers this computer’s queries.',
    also: 'upstream resolver server quad9 mullvad dns',
  },
  'crossCheck.names': {
    label: 'Compare providers',
    about:
      'Every provider is regularly asked for these names, so that all of them learn them, and contradictions are reported.',
    also: 'cross-check contradict disagree lie censorship block upstream',
  },
  strategy: {
    label: 'Choice among providers',
    about: 'Which provider is asked when there are several.',
    also: 'strategy fastest race spread order load balancing',
  },
  downgrade: {
    label: 'Without an encrypted connection',
    about: 'What happens to queries when no provider can be reached encrypted.',
    also: 'policy refuse warn fallback leak unencrypted cleartext private kill switch',
  },
  rungs: {
    label: 'Unencrypted ways',
    about:
      'What may be used once queries are allowed to leave unencrypted, tried from top to bottom.',
    also: 'rungs ladder tcp udp tls fallback cleartext',
  },
  consent: {
    label: 'Who may allow unencrypted queries',
    about: 'Whose consent counts when Sotto asks.',
    also: 'consent permission administrator everyone',
  },
  pause: {
    label: 'Pausing',
    about: 'Whether a pause needs a code from the help desk of your organisation.',
    also: 'switch off help desk code pause code',
  },
  refuseFor: {
    label: 'Never unencrypted for',
    about:
      'Queries that fit one of these conditions never leave unencrypted, whatever is allowed otherwise.',
    also: 'condition user account unit service network hours time refuse kiosk',
  },
  groups: {
    label: 'Groups of providers',
    about: 'Some names go to providers of their own, under a policy of their own.',
    also: 'group split company domain names vpn',
  },
  bypass: {
    label: 'Exceptions',
    about: 'Names that are asked elsewhere, unencrypted.',
    also: 'bypass rule suffix company vpn split horizon internal',
  },
  learnRules: {
    label: 'Exceptions from VPNs',
    about: 'Whether names that a VPN or a network claims become exceptions by themselves.',
    also: 'learn rules link tunnel wireguard claim automatic',
  },
  allowPrivate: {
    label: 'Names with private addresses',
    about: 'Names whose answers may lead into your own network; other such answers are blocked.',
    also: 'rebinding lan home router local intranet rfc1918',
  },
  forwardSpecial: {
    label: 'Special names to send on',
    about:
      'Reserved names, such as “test”, that your provider knows; the others are answered here.',
    also: 'special-use reserved local reverse arpa',
  },
  systemResolvers: {
    label: 'While Sotto is off or paused',
    about: 'Who is asked then, unencrypted.',
    also: 'system resolver own pause dhcp isp router',
  },
  'systemDns.take': {
    label: 'Protect this computer',
    about: 'Every program of this computer asks Sotto while it is on.',
    also: 'system dns take over default resolver all programs give back',
  },
  'systemDns.mechanism': {
    label: 'How this computer is protected',
    about: 'The part of the system that is told to ask Sotto.',
    also: 'mechanism systemd-resolved networkmanager resolvconf resolv.conf',
  },
  'systemDns.close': {
    label: 'Reject queries that go around Sotto',
    about:
      'Stops programs that ask somebody else, unencrypted, although this computer is protected.',
    also: 'firewall block port 53 nftables leak contested force',
  },
  'cache.entries': {
    label: 'Remembered answers',
    about: 'How many answers are kept until they expire; 0 keeps none.',
    also: 'cache size memory',
  },
  'cache.serveStale': {
    label: 'Use expired answers',
    about:
      'Answers with expired data while no provider can be reached; or always, and asks for new data behind the answer.',
    also: 'stale fast offline outage rfc 8767 cache',
  },
  'cache.staleHours': {
    label: 'Use expired answers for',
    about: 'How long after its expiry an answer may still be used.',
    also: 'stale hours cache rfc 8767',
  },
  'cache.hotSet': {
    label: 'Names asked ahead',
    about:
      'How many often-used names are asked again when they expire; costs up to as many extra queries a minute.',
    also: 'hot set prefetch fast cache',
  },
  'connections.keepWarm': {
    label: 'Keep connections ready',
    about: 'Opens a connection again before you need it, while you are active.',
    also: 'warm persistent reuse fast latency speed',
  },
  'connections.dialsPerHour': {
    label: 'Limit for ready connections',
    about: 'How many are opened to one provider ahead of need; 0 opens none.',
    also: 'dials warm rate reconnect',
  },
  'connections.keepWarmOnBattery': {
    label: 'Ready on battery, too',
    about: 'Keeps connections ready on battery power as well.',
    also: 'warm laptop energy power',
  },
  'connections.fastOpen': {
    label: 'TCP Fast Open',
    about: 'Sends the first query with the first packet, which saves a round trip.',
    also: 'tfo handshake latency speed rfc 7413',
  },
  'connections.ticketHours': {
    label: 'Remember encrypted sessions for',
    about:
      'Makes the next connection faster, and lets the provider know that it is you again; 0 remembers none.',
    also: 'tls tickets resumption session tracking',
  },
  'connections.postQuantum': {
    label: 'Safe from quantum computers',
    about:
      'Whether what somebody records today stays unread later: where it can be had, always, or never.',
    also: 'post-quantum x25519mlkem768 ml-kem kyber harvest now decrypt later key exchange hello',
  },
  'portal.detect': {
    label: 'Notice login pages',
    about: 'Finds out whether a Wi-Fi wants a login, without telling anybody what you asked for.',
    also: 'captive portal wifi hotel hotspot wlan',
  },
  'portal.minutes': {
    label: 'Time for a login',
    about: 'How long the login page may be looked up unencrypted.',
    also: 'captive portal wifi window',
  },
  'portal.probes': {
    label: 'Pages of known text',
    about: 'A Wi-Fi that answers for these pages with another text wants a login.',
    also: 'captive portal probe check url connectivity',
  },
  'queryLog.mode': {
    label: 'What is kept of queries',
    about: 'How much of each query is kept on this computer.',
    also: 'query log history names domain privacy record off',
  },
  'queryLog.programs': {
    label: 'Programs of kept queries',
    about: 'Keeps which program, account and container asked.',
    also: 'query log attribution process app user',
  },
  'queryLog.keepDays': {
    label: 'Keep queries for',
    about: 'Older queries are erased.',
    also: 'query log history retention days delete',
  },
  'queryLog.maxMegabytes': {
    label: 'Most space for kept queries',
    about: 'Beyond this size the oldest queries are erased.',
    also: 'query log size disk space limit',
  },
  'audit.connections': {
    label: 'Look for connections without a name',
    about: 'Lists programs that reach addresses which no answer gave; blocks nothing.',
    also: 'audit hard-coded address bypass around',
  },
  'metrics.listen': {
    label: 'Figures to be fetched',
    about: 'Where monitoring programs fetch figures without names.',
    also: 'prometheus openmetrics monitoring metrics scrape',
  },
  'metrics.collector': {
    label: 'Figures to be sent',
    about: 'Where Sotto sends figures without names, each minute.',
    also: 'opentelemetry otlp collector monitoring metrics push',
  },
  'dnstap.socket': {
    label: 'Queries to a dnstap reader',
    about: 'A program of this computer that gets each query.',
    also: 'dnstap fstrm tap reader names',
  },
};
