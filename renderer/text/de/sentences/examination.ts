import type { examinationSentences as english } from '../../../../app/contract/sentences/examination.ts';

export const examination: Record<keyof typeof english, string> = {
  'node-runs': 'Sotto läuft mit Node.js {version}.',
  'node-too-old': 'Node.js {version} ist zu alt: Sotto braucht {oldest}.',
  'engine-there': 'Der Kern ist vorhanden und lässt sich laden.',

  'settings-sound': '{file} enthält keinen Fehler.',
  'settings-absent': '{file} gibt es nicht; es gelten die Vorgaben.',
  'settings-wrong': '{place}: {reason}',

  'service-runs': 'Der Dienst läuft, Version {version}, Prozess {pid}.',
  'service-of-another-version':
    'Der Dienst hat die Version {version}, dieser Befehl die Version {own}.',
  guarded: 'Stirbt der Dienst, wird er neu gestartet; seine Adressen bleiben so lange belegt.',
  unguarded:
    'Niemand wacht über den Dienst: Stirbt er, antwortet nichts, und ein anderes Programm kann seine Adressen an sich nehmen.',
  'no-loop': 'Kein Resolver führt zu Sotto zurück.',

  'policy-refuse':
    'Wo keine verschlüsselte Verbindung besteht, werden Anfragen verweigert: „refuse“, gesetzt durch {why:setter}.',
  'policy-warn':
    'Wo keine verschlüsselte Verbindung besteht, wird gefragt, bevor etwas unverschlüsselt hinausgeht (erlaubte Stufen: {rungs}): „warn“, gesetzt durch {why:setter}.',
  'policy-warn-no-way':
    'Wo keine verschlüsselte Verbindung besteht, wird gefragt, bevor etwas unverschlüsselt hinausgeht (es ist keine Stufe erlaubt): „warn“, gesetzt durch {why:setter}.',
  'policy-fallback':
    'Wo keine verschlüsselte Verbindung besteht, gehen Anfragen unverschlüsselt hinaus, bis wieder eine besteht (erlaubte Stufen: {rungs}): „fallback“, gesetzt durch {why:setter}.',
  'policy-fallback-no-way':
    'Wo keine verschlüsselte Verbindung besteht, gehen Anfragen unverschlüsselt hinaus, bis wieder eine besteht (es ist keine Stufe erlaubt): „fallback“, gesetzt durch {why:setter}.',
  'group-policy-refuse':
    'Für {names} (Gruppe {group}) werden Anfragen verweigert: „refuse“, gesetzt durch {why:setter}.',
  'group-policy-warn':
    'Für {names} (Gruppe {group}) wird gefragt, bevor etwas unverschlüsselt hinausgeht (erlaubte Stufen: {rungs}): „warn“, gesetzt durch {why:setter}.',
  'group-policy-warn-no-way':
    'Für {names} (Gruppe {group}) wird gefragt, bevor etwas unverschlüsselt hinausgeht (es ist keine Stufe erlaubt): „warn“, gesetzt durch {why:setter}.',
  'group-policy-fallback':
    'Für {names} (Gruppe {group}) gehen Anfragen unverschlüsselt hinaus, bis wieder eine verschlüsselte Verbindung besteht (erlaubte Stufen: {rungs}): „fallback“, gesetzt durch {why:setter}.',
  'group-policy-fallback-no-way':
    'Für {names} (Gruppe {group}) gehen Anfragen unverschlüsselt hinaus, bis wieder eine verschlüsselte Verbindung besteht (es ist keine Stufe erlaubt): „fallback“, gesetzt durch {why:setter}.',
  'consent-request-waits':
    '{upstream} ist in {network} nicht verschlüsselt erreichbar; eine Entscheidung steht aus.',
  'group-consent-request-waits':
    '{upstream} ist in {network} nicht verschlüsselt erreichbar; für die Namen der Gruppe {group} steht eine Entscheidung aus.',

  'ledger-empty': 'Keine Erlaubnis, unverschlüsselt zu senden, ist offen.',
  'ledger-open': 'Anfragen dürfen unverschlüsselt hinaus ({class:clear}); bisher: {count:count}.',
  'ledger-open-uncounted':
    'Anfragen dürfen unverschlüsselt hinaus ({class:clear}); wie viele es waren, weiß niemand.',
  'ledger-open-for':
    'Anfragen für {rule} dürfen unverschlüsselt hinaus ({class:clear}); bisher: {count:count}.',
  'ledger-open-for-uncounted':
    'Anfragen für {rule} dürfen unverschlüsselt hinaus ({class:clear}); wie viele es waren, weiß niemand.',
  'ledger-file-hidden': 'Dieser Benutzer darf {file} nicht ansehen.',
  'ledger-file-not-yet': '{file} gibt es noch nicht; der erste Start legt sie an.',
  'ledger-file-deleted':
    '{file} wurde gelöscht, während der Dienst lief: Was er schreibt, geht verloren.',
  'ledger-file-no-database': '{file} ist keine Datenbank mehr.',
  'ledger-file-unwritable': '{file} ist nicht beschreibbar.',
  'ledger-file-open-to-others': 'Andere Benutzer können {file} lesen oder ändern.',
  'ledger-file-sound': '{file} ist beschreibbar, nur für ihren Besitzer.',

  'network-unwatched':
    'Das Netz wird nicht beobachtet. Alle Netze gelten als eines, und ein Wechsel fällt spät auf.',
  'network-none': 'Das Netz wird beobachtet; dieser Rechner ist in keinem.',
  'network-watched': 'Das Netz wird beobachtet; dies ist {network}.',
  'network-watched-policy':
    'Das Netz wird beobachtet; dies ist {network}, wofür „{policy}“ eingestellt ist.',

  'listening-nowhere': 'Der Dienst nimmt nirgends Anfragen an.',
  'listening-silent': '{address} antwortet nicht.',
  'listening-answers': '{address} antwortet über UDP in {udp:latency}, über TCP in {tcp:latency}.',
  'address-free': '{address} ist frei für den Dienst.',
  'address-taken': '{address} ist von einem anderen Programm belegt.',
  'address-not-permitted': '{address} darf nicht belegt werden.',
  'address-not-here': '{address} ist keine Adresse dieses Rechners.',
  'address-impossible': '{address} lässt sich nicht belegen ({error}).',

  'upstream-untested': '{upstream} wurde nicht geprüft: Ohne TLS ist er nicht erlaubt.',
  'upstream-failed': '{upstream}: {cause:cause}.',
  'upstream-answered-but':
    '{upstream} antwortet unter {address}, aber nicht überall: {cause:cause}.',
  'upstream-answered': '{upstream} hat in {ms:latency} geantwortet, von {address}, über {tls}.',
  'upstream-certificate-ends':
    '{upstream} hat in {ms:latency} geantwortet, von {address}, über {tls}; sein Zertifikat endet in {left:duration}.',
  'path-works': 'Eine Anfrage wurde beantwortet ({outcome:outcome}, {upstream}), in {ms:latency}.',
  'path-works-here': 'Eine Anfrage wurde beantwortet ({outcome:outcome}, hier), in {ms:latency}.',
  'path-fails': 'Eine Anfrage blieb ohne Ergebnis ({outcome:outcome}).',
  'path-fails-at': 'Eine Anfrage blieb ohne Ergebnis ({outcome:outcome}, {upstream}).',

  'rebinding-refused':
    'Binnen eines Tages {count|wurde|wurden} {count:count} {count|Antwort|Antworten} auf {name} abgewiesen: Darin steht eine Adresse dieses Rechners oder seines Netzes.',

  'clock-before-built': 'Die Uhr zeigt {now:moment}, das ist vor der Entstehung dieses Programms.',
  'clock-doubtful':
    'Die Uhr zeigt {now:moment}; dann gilt keines der gesehenen Zertifikate. Sie geht vielleicht falsch.',
  'clock-possible': 'Die Uhr zeigt {now:moment}, was möglich ist.',
  'clock-confirmed': 'Die Uhr zeigt {now:moment}; ein gesehenes Zertifikat gilt dann.',
  'clock-confirmed-often':
    'Die Uhr zeigt {now:moment}; {certificates:count} {certificates|gesehenes Zertifikat gilt|gesehene Zertifikate gelten} dann.',

  'folder-unwritable': '{folder} ist nicht beschreibbar.',
  'disk-full': 'In {folder} sind nur {free:octets} frei.',
  'disk-narrow':
    'Die Aufzeichnung der Anfragen darf auf {allowed:octets} wachsen, aber in {folder} sind nur {free:octets} frei.',
  'disk-roomy': '{folder} ist beschreibbar; {free:octets} sind frei.',
  'query-log-off': 'Anfragen werden nicht aufgezeichnet: queryLog.mode steht auf „off“.',
  'query-log-stopped': 'Die Anfragen werden nicht aufgezeichnet. DNS läuft weiter.',
  'query-log-stopped-unknown':
    'Die Anfragen werden nicht aufgezeichnet; die Ursache ist unbekannt. DNS läuft weiter.',
  'query-log-gaps':
    'Die Anfragen werden aufgezeichnet ({rows:count} {rows|Anfrage|Anfragen}, {size:octets}), aber {lost:count} {lost|fehlt|fehlen}.',
  'query-log-written':
    'Die Anfragen werden aufgezeichnet: {rows:count} {rows|Anfrage|Anfragen}, {size:octets}.',

  'buffer-small':
    'Der Kernel hält höchstens {most:octets} wartender Anfragen, verlangt sind {wanted:octets}; {dropped:count} {dropped|ging|gingen} bisher verloren.',
  'buffer-overrun':
    '{dropped:count} {dropped|Anfrage ging|Anfragen gingen} verloren, weil sie schneller kamen, als sie zu lesen waren.',
  'buffer-sound': 'Keine Anfrage ging aus Platzmangel verloren.',
  'system-asks-us': 'Das System fragt Sotto, unter {addresses}.',
  'system-asks-others': 'Das System fragt {others}, nicht Sotto.',
  'system-asks-others-too': 'Das System fragt {others} neben Sotto.',
  'system-asks-unknown': 'Das System fragt keinen bekannten Resolver, nicht Sotto.',
  'port-held': 'Ein anderer Resolver nimmt Anfragen an unter {addresses}.',
};
