import type { detailSentences as english } from '../../../../app/contract/sentences/details.ts';

export const details: Record<keyof typeof english, string> = {
  'of-group': 'Namen der Gruppe {group}.',
  'no-upstream': 'Kein Anbieter ist nutzbar.',
  'upstream-unreachable': '{upstream}: {cause:cause}.',
  'upstream-unconnected': '{upstream}: keine Verbindung.',
  'no-network-here': 'Hier ist kein Netz.',
  'stayed-private':
    '{who:setter} wollte hier verschlüsselt bleiben; „sotto consent retry {id}“ versucht es erneut.',
  'stayed-private-somebody':
    'Jemand wollte hier verschlüsselt bleiben; „sotto consent retry {id}“ versucht es erneut.',
  'consent-request-unanswered':
    'Niemand hat entschieden; „sotto consent retry {id}“ versucht es erneut.',
  'answer-consent-request': 'Erlauben: sotto consent allow {id} --minutes 30.',
  'consent-by': 'Erlaubt durch {who:setter}.',
  'consent-fallback': 'Erlaubt als Rückfall, durch {why:setter}.',
  'consent-rule': 'Erlaubt durch die Ausnahme {rule}, von {who:setter}.',

  'file-error': '{error}.',
  'profile-was-until': '{issuer}: Nummer {serial} galt bis {notAfter:moment}.',
  'profile-problem': '{why}.',
  'profile-stands-in':
    '{issuer}: Die Upstreams der Nummer {serial} weisen sich nicht aus; die Fassung mit der Nummer {standsIn} springt ein.',
  'profile-wants': '{issuer}, Nummer {serial}: {settings}.',
  'identity-absent': '{identity} fehlt auf diesem Rechner; {upstreams} braucht diese Identität.',
  'identity-wrong': '{identity}, gebraucht von {upstreams}, ist unbrauchbar.',
  'identity-was-until': '{identity}, gebraucht von {upstreams}, galt bis {notAfter:moment}.',
  'identity-is-until': '{identity}, gebraucht von {upstreams}, gilt bis {notAfter:moment}.',
  'fleet-view-stopped': '{setting}: {why}.',
  'file-vanished': '{file} fehlt oder ist leer.',
  'certificates-vanished': '{file} fehlt oder enthält kein lesbares Zertifikat.',
  'certificate-wrong': '{upstream}: {cause:cause}.',
  'formats-unheard':
    '{upstream} wurde gefragt, ob der Server sie verbergen kann, und nichts kam zurück.',
  'clock-shows': 'Sie zeigt {now:moment}.',
  'resolver-asks-us': '{server} fragt selbst Sotto.',
  'events-missing': '{count:count} {count|fehlt|fehlen}.',
  'resolver-ends': '{label}: am {on}, siehe {notice}.',
  'listens-for-others': 'Gehört wird auf {address}.',
  'listens-elsewhere': '{address} ist zurzeit keine Adresse dieses Computers.',
  'listens-unheld': '{address} hat der Dienst selbst geöffnet.',
  'listener-broke': '{protocol} an {address}: {message}.',
  'queries-without-room': '{count} seit dem Start des Dienstes.',
  'system-says': 'Das System meldet: {message}.',
  'system-says-nothing': 'Das System meldet nichts dazu.',
  'name-claimed': '{suffix} an {link}.',
  'account-named': 'Das Konto ist {account}.',
  'rule-wide': '{rule} umfasst mehr als die Namen eines Netzes.',

  'declined-starttls':
    '{upstream} ({address}) lehnte STARTTLS ab, {count:count}-mal seit {first:moment}, in {network}.',
  'refused-tls':
    '{upstream} ({address}) lehnte TLS ab, {count:count}-mal seit {first:moment}, in {network}.',
  'broke-off':
    '{upstream} ({address}) brach die Verbindung ab, {count:count}-mal seit {first:moment}, in {network}.',
  'showed-wrong-certificate':
    '{upstream} ({address}) zeigte ein fremdes Zertifikat, {count:count}-mal seit {first:moment}, in {network}.',
  'in-cleartext-by-policy':
    'Anfragen gehen unverschlüsselt hinaus, wie eingestellt: Eintrag {entry} unter „Alle Ausnahmen“.',
  'nothing-in-cleartext': 'Nichts ging unverschlüsselt hinaus.',
  'nothing-in-cleartext-asked': 'Nichts ging unverschlüsselt hinaus; eine Entscheidung steht aus.',
  'nothing-in-cleartext-refused': 'Nichts ging unverschlüsselt hinaus; Anfragen werden verweigert.',
  'nothing-in-cleartext-private':
    'Nichts ging unverschlüsselt hinaus; eine andere verschlüsselte Verbindung wird genutzt.',

  'audit-stopped-by': 'Grund: {reason}.',
  'audit-broken-at': 'Stelle: {why}.',
  'query-log-stopped-by': 'Grund: {reason}.',
  'query-log-stopped-somehow': 'Die Ursache ist unbekannt.',
  'query-log-set-aside': 'Sie liegt jetzt unter {file}.',
  'dns-did-not-stay':
    'Es wurde innerhalb von drei Minuten fünfmal wieder geändert; Sotto ändert es nicht mehr zurück.',
  'dns-closed':
    'Sotto ändert es jedes Mal zurück und weist ab, was dieser Computer an ihm vorbei fragt, bis Sie dieses Netz verlassen. Was Container und virtuelle Maschinen fragen, wird nur weitergeleitet und nicht abgewiesen.',
  'dns-not-closed':
    'Sotto ändert es jedes Mal zurück; dazwischen können Anfragen unverschlüsselt und ungezählt an ihm vorbeigehen.',
  'dns-cannot-close': 'Sie werden nicht abgewiesen: {why}.',
};
