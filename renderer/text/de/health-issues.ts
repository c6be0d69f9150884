/** Every health issue in German; in English they are registered. */
import type { HealthIssueCode } from '../../../app/contract/status/health-issue.ts';

interface Issue {
  title: string;
  meaning: string;
  remedy: string;
}

export const healthIssues: Record<HealthIssueCode, Issue> = {
  'settings-invalid': {
    title: 'Die Einstellungen enthalten einen Fehler',
    meaning: 'Es gelten die letzten fehlerfreien Einstellungen.',
    remedy: 'Die Datei berichtigen; sie wird beim Speichern sofort neu gelesen.',
  },
  'policy-file-invalid': {
    title: 'Eine Richtliniendatei enthält einen Fehler',
    meaning:
      'Was zuletzt fehlerfrei darin stand, gilt weiter. War eine Sperre darin noch nie lesbar, ist „downgrade“ gesperrt, bis sie berichtigt ist: auf „refuse“, wenn keine andere Richtlinie etwas anderes sagt.',
    remedy:
      'Die Administration dieses Rechners bitten, die Datei zu berichtigen; „sotto config check DATEI“ nennt ihre Fehler.',
  },
  'settings-vanished': {
    title: 'Eine Einstellungsdatei ist verschwunden',
    meaning: 'Was sie zuletzt sagte, gilt weiter.',
    remedy:
      'Die Datei zurücklegen („sotto config restore“ tut es für settings.json) oder beenden, was sie sagte: „sotto config accept“.',
  },
  'certificates-vanished': {
    title: 'Zertifikate eines Anbieters sind verschwunden',
    meaning: 'Was die Datei zuletzt sagte, gilt weiter.',
    remedy:
      'Die Datei zurücklegen und Sotto die Einstellungen neu lesen lassen (neu starten), oder „ca“ bei diesem Anbieter herausnehmen.',
  },
  'policy-overrides-user': {
    title: 'Eine Richtlinie legt Einstellungen fest',
    meaning: 'Ihre eigenen Werte gelten nicht.',
    remedy:
      'Diese Werte aus settings.json entfernen oder die Administration dieses Rechners fragen.',
  },
  'profile-expired': {
    title: 'Das Profil Ihrer Organisation ist veraltet',
    meaning: 'Es gilt weiter.',
    remedy: 'Ihre Organisation um ein neueres bitten: „sotto profile update DATEI“.',
  },
  'profile-undelivered': {
    title: 'Das Profil Ihrer Organisation lässt sich nicht aktualisieren',
    meaning: 'Die Fassung davor gilt weiter.',
    remedy:
      'Sehen Sie mit „sotto profile update“ noch einmal nach, und sagen Sie es Ihrer Organisation.',
  },
  'profile-rests': {
    title: 'Die neue Fassung des Profils Ihrer Organisation geht in diesem Netz nicht',
    meaning: 'Was sie strenger macht, gilt weiter, und sie wird von selbst wieder versucht.',
    remedy: 'Sagen Sie es Ihrer Organisation; hier ist nichts zu tun.',
  },
  'profile-waits': {
    title: 'Das Profil Ihrer Organisation will mehr, als es darf',
    meaning: 'Diese Einstellungen würden den Schutz lockern und gelten nicht.',
    remedy:
      'Eine Administratorin oder ein Administrator sieht es an und erlaubt es: „sotto profile status“.',
  },
  'identity-unusable': {
    title: 'Eine Client-Identität ist unbrauchbar',
    meaning: 'Ohne sie werden diese Anbieter nicht gefragt.',
    remedy: 'Sie hinzufügen: „sotto upstream identities add NAME DATEI“.',
  },
  'identity-ends': {
    title: 'Eine Client-Identität läuft bald ab',
    meaning: 'Danach werden ihre Anbieter nicht mehr gefragt.',
    remedy:
      'Ein neues Zertifikat besorgen und unter demselben Namen hinzufügen: „sotto upstream identities add NAME DATEI“.',
  },
  'fleet-view-stopped': {
    title: 'Andere bekommen nicht, was Sotto ihnen sagen soll',
    meaning: 'DNS läuft weiter, und Sotto versucht es von selbst erneut.',
    remedy:
      'Nachsehen, ob das Programm am anderen Ende läuft und die Adresse stimmt, oder „off“ einstellen.',
  },
  'listen-failed': {
    title: 'Sotto kann keine Anfragen annehmen',
    meaning: 'Programme können Sotto dort nicht fragen.',
    remedy:
      'Das Programm beenden, das die Adresse belegt, oder „Erreichbar unter“ in den Einstellungen ändern.',
  },
  'upstream-retired': {
    title: 'Ein Betreiber stellt seinen Resolver ein',
    meaning: 'Von da an antwortet dort niemand mehr.',
    remedy: 'Einen anderen wählen (Katalog auf der Seite Anbieter) und diesen entfernen.',
  },
  'upstream-ended': {
    title: 'Ein Betreiber hat seinen Resolver eingestellt',
    meaning: 'Dort antwortet bald oder schon jetzt niemand mehr.',
    remedy: 'Einen anderen wählen (Katalog auf der Seite Anbieter) und diesen entfernen.',
  },
  'upstreams-disagree': {
    title: 'Anbieter widersprechen sich',
    meaning: 'Über einen verglichenen Namen sagt vielleicht einer nicht die Wahrheit.',
    remedy:
      'Bei welchem Namen, sagt „sotto upstream cross-check“; wer was sagt, „sotto query NAME --each“.',
  },
  'listen-reachable': {
    title: 'Andere Rechner können Sotto fragen',
    meaning:
      'Wer die Adresse erreicht, fragt in Ihrem Namen und erfährt an der Dauer einer Antwort, was schon gefragt wurde.',
    remedy:
      'Die Adresse in den Einstellungen aus „listen“ nehmen; sollen Container oder Gäste fragen, alle anderen durch eine Firewall fernhalten.',
  },
  'lengths-shown': {
    title: 'Die Längen der Anfragen sind nicht verborgen',
    meaning:
      'Wer die verschlüsselten Anfragen weiterträgt, sieht, wie lang die Namen sind, und will das vielleicht.',
    remedy:
      'Der Server wird alle zehn Minuten wieder gefragt. Bleibt es so, einen anderen Resolver die Anfragen weitertragen lassen („address“ des Anbieters).',
  },
  'address-elsewhere': {
    title: 'Auf einer der Adressen kann niemand fragen',
    meaning: 'Auf den anderen Adressen antwortet Sotto, und auf dieser, sobald es sie gibt.',
    remedy:
      'Ist IPv6 absichtlich ausgeschaltet oder kommt die Adresse später, nichts. Sonst „listen“ in den Einstellungen ändern.',
  },
  'address-not-held': {
    title: 'Eine Adresse hält der Wächter nicht',
    meaning:
      'Während der Dienst neu startet, antwortet dort niemand, und ein anderes Programm kann sie belegen.',
    remedy:
      'Sotto neu starten: was in „listen“ steht, wird von da an gehalten (die Unit sotto.socket hält nur ihre eigenen Adressen).',
  },
  'descriptors-exhausted': {
    title: 'Weitere Verbindungen werden nicht angenommen',
    meaning: 'Programme, die über TCP fragen, müssen warten; UDP wird beantwortet.',
    remedy:
      'Programme mit vielen Verbindungen zu Sotto schließen oder mehr offene Dateien erlauben (LimitNOFILE, „ulimit -n“).',
  },
  'listener-restarting': {
    title: 'Sotto hört auf einer seiner Adressen nichts',
    meaning: 'Es wird in wachsenden Abständen neu versucht; die anderen Adressen antworten.',
    remedy: 'Vergeht es nicht von selbst, den Dienst neu starten und es melden.',
  },
  'queries-turned-away': {
    title: 'Es warten mehr Anfragen, als Sotto Platz hat',
    meaning:
      'Wer das Netz braucht, erfährt sofort, dass es nicht gefragt werden kann; was hier bekannt ist, wird beantwortet.',
    remedy:
      'Unter „Anfragen“ nachsehen, nach welchen Namen gefragt wird, und das Programm beenden, das danach fragt.',
  },
  'network-unseen': {
    title: 'Änderungen des Netzes sind nicht zu sehen',
    meaning:
      'Bis dahin verlässt nichts den Rechner unverschlüsselt aufgrund einer früheren Erlaubnis.',
    remedy: 'Es beginnt von selbst neu; sonst den Dienst neu starten.',
  },
  'network-unwatched': {
    title: 'Netze sind hier nicht zu unterscheiden',
    meaning:
      'Niemand bemerkt, dass dieser Rechner in ein anderes Netz kommt: Was hier unverschlüsselt erlaubt ist, gilt dort weiter, bis seine Minuten um sind oder eine verschlüsselte Verbindung besteht.',
    remedy:
      '„downgrade“ so wählen, wie es in jedem Netz gelten soll (im Zweifel „refuse“), und nur Minuten erlauben, die man hier verbringt; „sotto doctor“ sagt mehr.',
  },
  'no-network': {
    title: 'Kein Netz',
    meaning:
      'Zu keinem Anbieter führt ein Weg; deshalb wird nichts gesendet und niemand um eine Entscheidung gebeten.',
    remedy: 'Den Rechner mit einem Netz verbinden; Sotto macht von selbst weiter.',
  },
  'no-private-path': {
    title: 'Keine verschlüsselte Verbindung',
    meaning: 'Anfragen werden verweigert; nichts geht unverschlüsselt hinaus.',
    remedy:
      'Das Netz prüfen, „sotto upstream test“ versuchen oder einen weiteren Anbieter hinzufügen.',
  },
  'captive-portal': {
    title: 'Dieses Netz verlangt eine Anmeldung',
    meaning: 'Vorher lässt es nichts durch. DNS bleibt verschlüsselt.',
    remedy: 'Die Anmeldung aus dem Tray öffnen; „sotto portal“ zeigt mehr.',
  },
  asking: {
    title: 'Anfragen warten auf Ihre Entscheidung',
    meaning:
      'Hier besteht keine verschlüsselte Verbindung; bis zu Ihrer Entscheidung wird nichts gesendet.',
    remedy:
      'Unverschlüsselte Anfragen für eine Weile erlauben, verschlüsselt bleiben oder es erneut versuchen: „sotto consent list“ zeigt, wie.',
  },
  exposed: {
    title: 'In diesem Netz gehen Anfragen unverschlüsselt hinaus',
    meaning: 'Hier besteht keine verschlüsselte Verbindung.',
    remedy:
      'Jede wird gezählt, zu sehen unter „Alle Ausnahmen“. Es endet von selbst, sobald eine verschlüsselte Verbindung besteht.',
  },
  'downgrade-attempt': {
    title: 'Jemand versucht möglicherweise, Anfragen lesbar zu machen',
    meaning:
      'Ein Server, der bisher TLS sprach, tat es nicht mehr: Das kann ein Angriff in diesem Netz sein oder eine Störung.',
    remedy: 'Diesem Netz misstrauen. Beim eigenen Server prüfen, ob dessen TLS noch funktioniert.',
  },
  'counts-incomplete': {
    title: 'Unter „Alle Ausnahmen“ kann zu wenig gezählt sein',
    meaning: 'Was beim letzten Lauf gezählt wurde, ließ sich nicht vollständig übernehmen.',
    remedy: 'Nichts zu tun; der Hinweis verschwindet mit dem nächsten Start des Dienstes.',
  },
  'certificate-wrong': {
    title: 'Ein Anbieter konnte sich nicht ausweisen',
    meaning: 'Möglicherweise antwortet jemand anderes an seiner Stelle.',
    remedy:
      '„name“, „pins“, „certificatePins“ und „ca“ dieses Anbieters und das Datum dieses Rechners prüfen; einem fremden Netz misstrauen.',
  },
  'clock-wrong': {
    title: 'Die Uhr geht anscheinend falsch',
    meaning: 'Mit falschem Datum lassen sich Zertifikate nicht prüfen.',
    remedy: 'Datum und Uhrzeit dieses Rechners stellen.',
  },
  'queries-in-cleartext': {
    title: 'Anfragen gehen unverschlüsselt hinaus',
    meaning: 'Für sie ist kein Anbieter mit TLS eingerichtet.',
    remedy: 'Einen Anbieter mit dem Transport dot oder tdns hinzufügen.',
  },
  'names-claimed': {
    title: 'Dieses Netz beansprucht Namen für sich',
    meaning: 'Bis Sie entscheiden, werden sie verschlüsselt gefragt wie alle anderen.',
    remedy:
      'Kennen Sie das Netz, dann glauben Sie ihm auf der Seite Ausnahmen; sonst lehnen Sie ab. Gefragt wird einmal je Netz.',
  },
  'wide-rule': {
    title: 'Eine Ausnahme schickt mehr als die Namen eines Netzes unverschlüsselt',
    meaning: 'Das ist eine Herabstufung, und jede Anfrage zählt als solche.',
    remedy: 'Nennen Sie die internen Zonen einzeln.',
  },
  'account-unknown': {
    title: 'Eine Bedingung nennt ein Konto, das dieser Rechner nicht kennt',
    meaning:
      'Keine Ausnahme gilt dafür, und wo die Bedingung Anfragen verschlüsselt hält, gilt sie für alle.',
    remedy:
      'Den Namen in „when“ oder „refuseFor“ berichtigen oder die Nummer des Benutzers angeben.',
  },
  'bypass-loop': {
    title: 'Eine Ausnahme führt zu Sotto zurück',
    meaning: 'Solche Anfragen liefen im Kreis und werden verweigert.',
    remedy: 'In dieser Ausnahme einen anderen Resolver angeben.',
  },
  'audit-stopped': {
    title: 'Das Prüfprotokoll wird nicht geschrieben',
    meaning: 'DNS läuft weiter. Was inzwischen geschieht, wird später geschrieben.',
    remedy: 'Platz auf dem Datenträger schaffen und prüfen, wem der Zustandsordner gehört.',
  },
  'audit-broken': {
    title: 'Das Prüfprotokoll ist nicht, wie es geschrieben wurde',
    meaning: 'Jemand hat die Datei geändert, oder der Datenträger hat einen Fehler.',
    remedy:
      'Eine Kopie der Datei aufheben und mit einem anderswo aufbewahrten Stand vergleichen: „sotto audit verify --head“.',
  },
  'log-stopped': {
    title: 'Die Anfragen werden nicht aufgezeichnet',
    meaning: 'DNS läuft weiter.',
    remedy: 'Platz auf dem Datenträger schaffen oder weniger Anfragen aufbewahren.',
  },
  'log-begun-afresh': {
    title: 'Die Aufzeichnung der Anfragen wurde neu begonnen',
    meaning: 'Der alte war nicht benutzbar.',
    remedy:
      'Die alte Datei löschen, wenn sie nicht gebraucht wird; der Hinweis verschwindet mit dem nächsten Start des Dienstes.',
  },
  'log-erasing-held-up': {
    title: 'Gelöschtes ist noch auffindbar',
    meaning:
      'Ein anderes Programm liest die Datei der Anfragen und hält die gelöschten Namen darin fest.',
    remedy: 'Dieses Programm beenden; Sotto versucht es von selbst wieder.',
  },
  'events-dropped': {
    title: 'Die Aufzeichnung der Anfragen hat Lücken',
    meaning: 'Anfragen wurden schneller beantwortet, als sie sich festhalten ließen.',
    remedy: 'Nichts zu tun; die Zähler bleiben genau.',
  },
  'system-dns-not-taken': {
    title: 'Das System-DNS ist nicht übernommen',
    meaning: 'Programme dieses Rechners fragen andere, nicht Sotto.',
    remedy: 'Siehe „sotto system status“.',
  },
  'system-dns-otherwise': {
    title: 'Das System-DNS wird anders zu Sotto geleitet, als die Einstellungen sagen',
    meaning: 'Was Sotto übernommen hat, behält es, und nimmt es anderen wieder ab.',
    remedy: 'Einen anderen Weg wählen: „sotto config set systemDns.mechanism auto“.',
  },
  'system-dns-contested': {
    title: 'Etwas anderes ändert das System-DNS',
    meaning: 'Ein anderes Programm, oder dieses Netz durch eines, sagt, wen Programme fragen.',
    remedy: 'Das Programm beenden oder es vom DNS abhalten; danach „sotto system take“.',
  },
  'system-dns-stuck': {
    title: 'Das System-DNS ließ sich nicht zurückgeben',
    meaning: 'Programme werden vielleicht weiter zu Sotto geleitet.',
    remedy: '„sudo sotto-helper give-back“ ausführen.',
  },
  'coverage-gaps': {
    title: 'Manche Anfragen gehen an Sotto vorbei',
    meaning: 'Sie sind weder geschützt noch gezählt noch zu sehen.',
    remedy: '„sotto system probe“ sagt zu jedem, was zu tun ist.',
  },
  'ledger-unwritable': {
    title: 'Erlaubnisse lassen sich nicht festhalten',
    meaning: 'Was sich nicht festhalten lässt, geht nicht unverschlüsselt hinaus.',
    remedy: 'Platz auf dem Datenträger schaffen und prüfen, wem der Statusordner gehört.',
  },
};
