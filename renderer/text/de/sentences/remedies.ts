import type { remedySentences as english } from '../../../../app/contract/sentences/remedies.ts';

export const remedies: Record<keyof typeof english, string> = {
  'start-with-own-node':
    'Als „sotto“ oder mit npm start aufrufen; beide bringen ihr eigenes Node.js mit.',
  'correct-file': 'Die Datei berichtigen; „sotto config check {file}“ nennt alle Fehler.',
  'ask-administrator': 'Die Administration dieses Rechners fragen oder den eigenen Wert entfernen.',
  'restart-service': 'Den Dienst neu starten.',
  'start-guarded': 'Starten mit: sotto run --guarded',
  'end-with-on': 'Beenden mit: sotto on',
  'see-ledger': 'Was hinausgeht, zeigt „Alle Ausnahmen“.',
  'see-probe': 'Was an Sotto vorbeigeht und was hilft, zeigt: sotto system probe',
  'open-login': 'Anmelden mit: sotto portal open',
  'answer-below': 'Weiter unten entscheiden.',
  'connect-network': 'Den Rechner mit einem Netz verbinden; Sotto macht von selbst weiter.',
  'see-upstreams-below': 'Siehe unten, was über die Anbieter gesagt wird.',
  'see-upstreams-above': 'Siehe oben, was über die Anbieter gesagt wird.',
  'answer-consent-request-now':
    'Antworten: sotto consent allow {id} --minutes 30, sotto consent deny {id} oder sotto consent retry {id}',
  'see-status-to-end': 'Warum, und was es beenden würde, zeigt der Status.',
  'end-or-see': 'Beenden mit „sotto on“; mehr zeigt der Status.',
  'set-clock-and-keep': 'Datum und Uhrzeit stellen und von einem Zeitdienst halten lassen.',
  'check-owner': 'Besitzer und Zugriffsrechte prüfen.',
  'free-space': 'Platz auf dem Datenträger schaffen.',
  'free-space-or-smaller-query-log':
    'Platz auf dem Datenträger schaffen oder queryLog.maxMegabytes senken.',
  'free-space-or-permit':
    'Platz auf dem Datenträger schaffen oder die Zugriffsrechte seines Ordners berichtigen; danach geht es von selbst weiter.',
  'nothing-to-do-counters': 'Nichts zu tun; die Zähler bleiben genau.',
  'allow-private':
    'Ist es ein eigener Name: in den Einstellungen unter „allowPrivate“ eintragen. Sonst so lassen: Vielleicht greift eine Webseite nach dem eigenen Netz.',
  'run-as-owner': 'Als der Benutzer aufrufen, unter dem Sotto läuft, oder als root.',
  'set-ledger-aside':
    'Eine Kopie behalten, die Datei wegschieben und den Dienst neu starten, der eine neue beginnt.',
  'close-ledger-file': 'chmod 600 {file}; der Dienst tut es beim Start.',
  'see-status-for-reason': 'Den Grund nennt der Status.',
  'check-loopback-firewall':
    'Firewall-Regeln der Loopback-Schnittstelle prüfen und den Dienst neu starten.',
  'see-who-listens':
    "Welches es ist: ss -lntup 'sport = :{port}'; es beenden oder „Erreichbar unter“ in den Einstellungen ändern.",
  'choose-higher-port': 'Unter „Erreichbar unter“ einen Port über 1023 wählen, etwa 5300.',
  'remove-address':
    'Sie in den Einstellungen unter „Erreichbar unter“ entfernen oder dem Rechner diese Adresse geben.',
  'change-listen': '„Erreichbar unter“ in den Einstellungen ändern.',
  'widen-buffer':
    'sudo sysctl -w net.core.rmem_max={wanted}, und dasselbe in /etc/sysctl.d; danach den Dienst neu starten.',
  'programs-ask-again':
    'Programme fragen von selbst noch einmal; nimmt es zu, zeigt die Seite „Anfragen“, wer so viel fragt.',
  'point-at-dns-port':
    'Programme auf {ip}, Port {port} einstellen; alle zugleich mit „nameserver {ip}“ in /etc/resolv.conf.',
  'point-at-port':
    'Programme auf {ip}, Port {port} einstellen oder einen Forwarder dazwischen (dnsmasq: server={ip}#{port}).',
  'choose-policy-for-all':
    '„downgrade“ in den Einstellungen so wählen, dass es für jedes genutzte Netz stimmt.',
  'connect-machine':
    'Den Rechner verbinden; ein Anbieter auf diesem Rechner selbst braucht kein Netz.',
  'renew-certificate': 'Der Betreiber sollte es erneuern; einen zweiten Anbieter bereithalten.',
  'check-upstream-resolves':
    'Das war seine eigene Antwort: prüfen, ob dieser Anbieter alle Namen auflöst.',
  'take-policy-out': 'Die Administration bitten, {key} herauszunehmen.',
  'firefox-doh-off': 'In Firefox: Einstellungen, Datenschutz & Sicherheit, DNS über HTTPS: Aus',
  'chromium-doh-off':
    'In {browser}: Einstellungen, Datenschutz und Sicherheit, Sicheres DNS verwenden: Aus',
  'lead-docker-here':
    'Die Adresse der Bridge, etwa „172.17.0.1:53“, unter „Erreichbar unter“ eintragen und "dns": ["172.17.0.1"] in {file}.',
  'lead-resolved-here':
    'Lassen Sie Sotto die Programme über systemd-resolved führen (sotto config set systemDns.mechanism resolved), oder beenden Sie systemd-resolved',
  'take-servers-out': 'Nehmen Sie diese Server aus {file} heraus, und starten Sie dieses Netz neu',
  'ask-for-own-domain':
    'Bitten Sie den Betreiber dieses Netzes, eine eigene Domain zu benutzen (RFC 6762, Anhang G)',
  'restart-container':
    'Ihn neu starten, sobald seine Engine Container hierher schickt, oder ihm --dns mitgeben.',
  'point-at-status': 'Sie auf die Adressen unter „Erreichbar unter“ einstellen.',
  'see-system-status': 'Mehr zeigt: sotto system status',
  'take-system': 'Sie hierher leiten: sotto system take',
  'see-nsswitch':
    '„hosts:“ in /etc/nsswitch.conf prüfen und ob ein Zwischenspeicher wie nscd davor steht; danach: sotto system take',
  'take-nameserver-out':
    'Ihn dort herausnehmen, wo diese Datei entsteht; IPv6-Router können ihn genannt haben (RDNSS, RFC 8106).',
  'see-resolvectl': 'Siehe: resolvectl status {link}; danach: sotto system take',

  'after-unknown': 'Die einzelnen Schritte zeigt der Test auf der Seite Anbieter.',
  'after-connect-failed':
    'Das Netz prüfen; wo es Port 853 sperrt, den Transport tdns wählen, der nur Port 53 braucht.',
  'after-no-response':
    'Die Adresse prüfen; eine Firewall unterwegs verwirft vielleicht die Pakete.',
  'after-timed-out': 'Das Netz prüfen oder einen näheren Anbieter an die erste Stelle setzen.',
  'after-still-connecting':
    'Der Weg dorthin ist vielleicht langsam oder gesperrt: das Netz prüfen oder einen näheren Anbieter an die erste Stelle setzen.',
  'after-dead':
    'Der Server oder der Weg dorthin ist verstummt: das Netz prüfen und einen zweiten Anbieter bereithalten.',
  'after-closed':
    'Der Server hat die Verbindung beendet; wiederholt es sich, sollte sein Betreiber es erfahren.',
  'after-bad-response':
    'Er spricht TLS, antwortet aber nicht mit brauchbarem DNS: prüfen, ob Adresse und Port die eines Resolvers sind.',
  'after-encdns-not-carried':
    'Zone und Schlüssel mit den Angaben des Betreibers vergleichen oder einen anderen Resolver angeben.',
  'after-encdns-name-too-long': 'Für solche Namen einen zweiten Anbieter bereithalten.',
  'after-unwanted': 'Noch einmal fragen: Das Programm war weg, bevor die Anfrage abging.',
  'after-resting':
    'Er ist kurz zuvor ausgefallen und wird von selbst wieder versucht; den letzten Fehler zeigt der Status.',
  'after-starttls-failed':
    'Für diesen Server den Transport dot wählen, falls er kein STARTTLS anbietet.',
  'after-starttls-declined-before':
    'Für diesen Server den Transport dot wählen, falls er kein STARTTLS anbietet.',
  'after-tls-failed':
    'Dort wird vielleicht kein TLS gesprochen: Adresse, Port und Transport prüfen.',
  'after-certificate-name': '„name“ dieses Anbieters berichtigen; einem fremden Netz misstrauen.',
  'after-certificate-pin':
    '„pins“ mit dem vergleichen, was der Betreiber veröffentlicht; jemand sitzt vielleicht dazwischen.',
  'after-certificate-unpinned':
    '„certificatePins“ mit dem neuesten Stamp des Betreibers vergleichen, der neue Zertifikate haben kann; oder jemand sitzt dazwischen.',
  'after-certificate-expired':
    'Das Datum dieses Rechners prüfen; sonst muss der Betreiber es erneuern.',
  'after-certificate-not-yet-valid': 'Datum und Uhrzeit dieses Rechners stellen.',
  'after-certificate-issuer':
    'Das Zertifikat der Ausgabestelle als „ca“ angeben oder diesem Netz misstrauen.',
  'after-certificate-unusable':
    'Der Betreiber des Servers sollte ihm ein anderes Zertifikat geben.',
  'after-identity-wanted':
    'Den Betreiber des Servers um ein Zertifikat bitten, dann: sotto upstream identities add --help',
  'after-identity-missing':
    'Die Client-Identität auf diesem Rechner hinzufügen: sotto upstream identities add NAME DATEI',
  'after-identity-unusable':
    'Die Client-Identität noch einmal hinzufügen: sotto upstream identities add NAME DATEI',
  'after-identity-expired':
    'Das Datum dieses Rechners prüfen; sonst ein neues Zertifikat unter demselben Namen hinzufügen.',
  'after-identity-refused':
    'Den Betreiber des Servers fragen, ob er dieses Zertifikat kennt: sotto upstream identities list',
  'after-proxy-away': 'Den Proxy starten oder „proxy“ dieses Anbieters berichtigen.',
  'after-proxy-not-socks': '„proxy“ dieses Anbieters berichtigen: Es muss ein SOCKS5-Proxy sein.',
  'after-proxy-refused': 'Prüfen, was der Proxy erlaubt und mit welchem Benutzer und Passwort.',
  'after-proxy-unreachable': 'Prüfen, ob der Proxy selbst ein Netz hat.',
  'after-lease-missing': 'Den Transport dot oder tdns wählen, falls der Server ihn anbietet.',
  'after-not-permitted': 'Den Transport dot oder tdns wählen, falls der Server ihn anbietet.',
};
