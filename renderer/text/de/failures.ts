/** Every refusal in German: what happened, what it means, what to do. `{subject}`: the field, file or peer it is about. */
import type { FailureCode } from '../../../app/contract/errors.ts';

export const failures: Readonly<Record<FailureCode, string>> = {
  'settings-invalid': 'Dieser Wert ist nicht zulässig. Es wurde nichts geändert.',
  'settings-unreadable':
    'Die Einstellungsdatei {subject} ist nicht lesbar. Es wurde nichts geändert.',
  'settings-changed':
    'Die Einstellungen wurden inzwischen an anderer Stelle geändert. Es wurde nichts geändert; bitte noch einmal versuchen.',
  'setting-locked': 'Die Administration dieses Rechners hat „{subject}“ festgelegt.',
  'pause-code-needed':
    'Hier schaltet niemand Sotto aus, und jede Pause braucht einen Code von Ihrem Helpdesk: Pausieren Sie im Fenster für eine Dauer, oder mit „sotto pause 30m“.',
  'pause-code-refused':
    'Dieser Code wurde nicht angenommen. Nach einem falschen Code muss der nächste etwas warten; sonst pausieren Sie noch einmal, um Neues vorzulesen.',
  'no-pause-key':
    'Auf diesem Computer fehlt der Schlüssel, mit dem sich Codes prüfen lassen. Die Administration legt ihn ab: „sotto pause-code key --help“.',
  'profile-refused': 'Dieses Profil wird nicht angenommen; das bisherige gilt weiter.',
  'profile-not-yet':
    'Diese Fassung des Profils gilt für diesen Rechner noch nicht; die bisherige gilt weiter.',
  'profile-waits':
    'Nicht alles aus dieser Fassung würde gelten, und das war verlangt; nichts wurde geändert.',
  'profile-unreachable': 'Dort ist kein Profil zu lesen; das bisherige gilt weiter.',
  'fingerprint-differs':
    'Der Schlüssel hat einen anderen Fingerabdruck. Verwenden Sie ihn nicht, und fragen Sie Ihre Organisation noch einmal nach beidem.',
  'no-profile': 'Dieser Rechner hat kein Profil.',
  'unknown-setting': 'Die Einstellung „{subject}“ gibt es nicht.',
  'nothing-to-undo': 'Es gibt nichts zurückzunehmen.',
  'nothing-vanished': 'Keine Einstellungsdatei ist verschwunden.',
  'params-invalid': 'Diese Angabe passt nicht: {subject}. Es wurde nichts geändert.',
  'unknown-method':
    'Der Dienst kennt diesen Befehl nicht. Ihn neu starten, falls er älter ist als diese Seite.',
  forbidden: 'Dafür fehlt die Berechtigung. Es wurde nichts geändert.',
  'hello-missing': 'Der Dienst hat diese Seite nicht erkannt. Sie neu laden.',
  'version-mismatch': 'Seite und Dienst verstehen einander nicht.',
  'not-running': 'Sotto läuft nicht. Starten mit: sotto run',
  'already-running': 'Ein anderes Sotto nutzt denselben Ordner.',
  'machine-service': 'Den Dienst dieses Rechners hält systemd an: systemctl stop sotto',
  'connection-lost': 'Die Verbindung brach ab; was daraus wurde, ist unbekannt.',
  'socket-path-too-long': 'Der Pfad zum Dienst ist zu lang: {subject}',
  'state-unwritable':
    'Es ließ sich nicht festhalten und gilt deshalb nicht. Platz auf dem Datenträger schaffen und Zugriffsrechte prüfen.',
  'engine-missing': 'Der Kern von Sotto fehlt oder lässt sich nicht laden.',
  'engine-refused': 'Der Kern nimmt diese Einstellungen nicht an; die bisherigen gelten weiter.',
  'engine-failed': 'Es kam keine Antwort. Bitte noch einmal versuchen.',
  'listen-failed':
    'Auf {subject} kann Sotto keine Anfragen annehmen; die Adresse ist belegt oder nicht erlaubt.',
  'unknown-upstream': 'Diesen Anbieter gibt es nicht mehr.',
  'unknown-identity': 'Eine Client-Identität dieses Namens gibt es nicht.',
  'identity-unusable': 'Das taugt nicht als Client-Identität. Es wurde nichts geändert.',
  'identity-in-use': 'Ein Anbieter nennt diese Client-Identität noch. Es wurde nichts geändert.',
  'unknown-resolver': 'Diesen Resolver kennt der Katalog nicht.',
  'unknown-rule': 'Diese Ausnahme gibt es nicht mehr.',
  'unknown-claim': 'Diesen Anspruch gibt es nicht mehr.',
  'unknown-network': 'Dieses Netz ist nicht bekannt.',
  'unknown-subscription': 'Das läuft nicht mehr. Die Seite neu laden.',
  'unknown-consent-request': 'Diese Entscheidung steht nicht mehr an.',
  'consent-request-closed': 'Das ist bereits entschieden. Es wurde nichts geändert.',
  'no-portal': 'Hier ist keine Anmeldeseite bekannt.',
  'site-refused': 'Die Anmeldeseite antwortet inzwischen anders. Noch einmal nachsehen.',
  'bad-query': 'Diese Anfrage lässt sich nicht stellen: Name oder Typ passen nicht.',
  'bad-stamp': 'Das kann Sotto nicht nutzen. Das Ganze kopieren, ab „sdns://“ oder „encdns://“.',
  'bad-rules': 'Diese Ausnahmen enthalten Fehler. Es wurde nichts geändert.',
  'helper-missing':
    'sotto-helper läuft nicht, und niemand sonst darf das System-DNS ändern. Sotto als Paket installieren.',
  'gate-missing':
    'DNS, das an Sotto vorbeigeht, lässt sich hier nicht abweisen: Das braucht das installierte Sotto und nftables.',
  'helper-refused': 'sotto-helper hat es abgelehnt; das System-DNS ist unverändert.',
  'no-mechanism': 'Zum System-DNS führt hier kein Weg. „sotto system status“ sagt, warum.',
  'authority-missing':
    'Nach einem Passwort lässt sich von hier aus nicht fragen. Im Terminal geht es mit sudo.',
  'authority-unreachable':
    'Auf diesem Desktop zeigt kein Programm die Passwortabfrage. Im Terminal geht es mit sudo.',
  'authority-dismissed': 'Die Passwortabfrage wurde geschlossen. Es wurde nichts geändert.',
  'authority-refused': 'Das System hat es abgelehnt. Es wurde nichts geändert.',
  'authority-busy': 'Eine Passwortabfrage ist bereits offen.',
  'authority-late': 'Die Passwortabfrage wurde nicht rechtzeitig beantwortet.',
  'log-unavailable': 'Die Anfragen sind nicht lesbar; DNS läuft weiter.',
  'filter-invalid': 'Dieser Filter ist nicht zu verstehen.',
  superseded: 'Eine neuere Suche ist an seine Stelle getreten.',
  'too-many':
    'So viel auf einmal lässt der Dienst nicht zu ({subject}). Anderes schließen und noch einmal versuchen.',
  'too-slow': 'Es kam mehr, als gelesen wurde; die Anzeige beginnt neu.',
  'unknown-event': 'Diese Anfrage ist nicht mehr aufgezeichnet.',
  internal: 'Das ist ein Fehler in Sotto. DNS ist davon nicht betroffen.',
};
