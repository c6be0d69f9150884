/** The details of a health issue: what was found, and about which upstream, file or rule. */
import { consentSentences } from './consents.ts';

export const detailSentences = {
  'of-group': 'Names of the group {group}.',
  'no-upstream': 'No upstream can be used.',
  'upstream-unreachable': '{upstream}: {message}.',
  'upstream-unconnected': '{upstream}: no connection.',
  'no-network-here': 'There is no network here.',
  'stayed-private': '{who} chose to stay private here; "sotto consent retry {id}" tries again.',
  'stayed-private-somebody':
    'Somebody chose to stay private here; "sotto consent retry {id}" tries again.',
  'consent-request-unanswered':
    'Nobody answered the consent request; "sotto consent retry {id}" tries again.',
  'answer-consent-request': 'Answer: sotto consent allow {id} --minutes 30.',
  ...consentSentences,

  'file-error': '{error}.',
  'file-vanished': '{file} is not there, or empty.',
  'profile-was-until': '{issuer}: serial {serial} was for the time until {notAfter:moment}.',
  'profile-stands-in':
    '{issuer}: the upstreams of serial {serial} do not authenticate; the version with serial {standsIn} stands in.',
  'profile-problem': '{why}.',
  'profile-wants': '{issuer}, serial {serial}: {settings}.',
  'identity-absent': '{identity} is not on this machine, and {upstreams} needs it.',
  'identity-wrong': '{identity}, which {upstreams} needs, can not be used: {why}.',
  'identity-was-until': '{identity}, which {upstreams} needs, was valid until {notAfter:moment}.',
  'identity-is-until': '{identity}, which {upstreams} needs, is valid until {notAfter:moment}.',
  'fleet-view-stopped': '{setting}: {why}.',
  'certificates-vanished': '{file} is not there, or holds no certificate that can be read.',
  'certificate-wrong': '{upstream}: {message}.',
  'formats-unheard': '{upstream} was asked whether it can hide them, and nothing came back.',
  'clock-shows': 'It shows {now:time}.',
  'resolver-asks-us': '{server} asks Sotto itself.',
  'events-missing': '{count} {count|is|are} missing.',
  'resolver-ends': '{label}: on {on}, see {notice}.',
  'listens-for-others': 'It listens on {address}.',
  'listens-elsewhere': 'Now {address} is not an address of this computer.',
  'listens-unheld': '{address} was opened by the service itself.',
  'listener-broke': '{protocol} at {address}: {message}.',
  'queries-without-room': '{count} since the service started.',
  'system-says': 'The system says: {message}.',
  'system-says-nothing': 'The system says: nothing.',
  'name-claimed': '{suffix} on {link}.',
  'account-named': 'The account is {account}.',
  'rule-wide': '{rule}: {reason}.',

  'declined-starttls': '{upstream} ({address}) declined STARTTLS{words} {when} on {network}.',
  'refused-tls': '{upstream} ({address}) refused TLS{words} {when} on {network}.',
  'broke-off': '{upstream} ({address}) broke the connection off{words} {when} on {network}.',
  'showed-wrong-certificate':
    '{upstream} ({address}) showed a certificate that is not its own{words} {when} on {network}.',
  'in-cleartext-by-policy': 'Queries leave in cleartext, as policy allows: ledger entry {entry}.',
  'nothing-in-cleartext': 'Nothing was sent in cleartext.',
  'nothing-in-cleartext-asked': 'Nothing was sent in cleartext; you are asked.',
  'nothing-in-cleartext-refused': 'Nothing was sent in cleartext; queries are refused.',
  'nothing-in-cleartext-private': 'Nothing was sent in cleartext; another private path is used.',

  'audit-stopped-by': '{reason}.',
  'audit-broken-at': '{why}.',
  'query-log-stopped-by': '{reason}.',
  'query-log-stopped-somehow': 'The cause is unknown.',
  'query-log-set-aside': '{reason}. It was kept as {file}.',
  'dns-did-not-stay':
    'What it was told did not stay five times within three minutes, so Sotto has stopped changing it back.',
  'dns-closed':
    'Sotto changes it back each time, and rejects what this computer asks past it until you leave this network. What containers and virtual machines ask is only forwarded, and not rejected.',
  'dns-not-closed':
    'Sotto changes it back each time; between, queries can leave unencrypted, past it and uncounted.',
  'dns-cannot-close': 'They are not rejected: {why}.',
} as const;
