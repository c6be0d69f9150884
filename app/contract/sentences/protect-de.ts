/** The same in German. It stands here, and not in the window's catalogue, because the tray needs it as well. */
import type { protectSentences as english } from './protect.ts';

export const protectSentences: Record<keyof typeof english, string> = {
  protect: 'Diesen Computer schützen',
  'protect-stop': 'Diesen Computer nicht mehr schützen',
  'protect-means':
    'Jedes Programm dieses Computers schickt seine Anfragen dann an Sotto. Der Weg zurück steht jederzeit offen.',
  'protect-stop-means': 'Programme fragen dann wieder das Netz, wie zuvor.',
  'protect-title-refused': 'Nicht geändert',
  'protect-again': 'Noch einmal versuchen',
  'protect-asking': 'Sotto wird darum gebeten …',
  'protect-password':
    'Das System fragt jetzt nach dem Passwort eines Administrators. Sotto bekommt es nie zu sehen.',

  'taking-not-wanted': 'Dieser Computer fragt sein Netz.',
  'taking-changing': 'Dieser Computer wird zu Sotto geführt …',
  'taking-failed': 'Sotto versucht es von selbst weiter, aber dies hält es auf:',
  'taking-off': 'Sotto ist aus. Dieser Computer fragt Sotto, sobald es eingeschaltet wird.',
  'taking-no-link': 'Es gibt kein Netz. Dieser Computer fragt Sotto, sobald es eines gibt.',
  'taking-contested':
    'Ein anderes Programm hat die Anfragen dieses Computers übernommen und behält sie. Dieses Programm beenden, dann noch einmal versuchen.',
  'taking-checking': 'Es wird geprüft, ob eine Anfrage dieses Computers ankommt …',
  'taking-not-arriving':
    'Dieser Computer soll Sotto fragen, aber die Anfragen seiner Programme gehen woandershin. „Was hilft“ sagt, warum.',
  'taking-led': 'Dieser Computer fragt jetzt Sotto. {headline}.',
  'taking-led-here': 'Dieser Computer fragt Sotto.',
  'taking-working': 'Es klappt: Eine Anfrage dieses Computers kam an.',
  'taking-partly':
    'Es klappt: Eine Anfrage dieses Computers kam an. Manche Programme gehen noch an Sotto vorbei.',
  'taking-stopped': 'Dieser Computer fragt wieder sein Netz.',

  'refused-authority-missing':
    'Dieses Konto darf das nicht, und dieses System hat keine Passwortabfrage, die Sotto öffnen könnte. Ein Administrator kann es im Terminal tun:',
  'refused-authority-unreachable':
    'Dieses Konto darf das nicht, und kein Programm dieses Desktops zeigt eine Passwortabfrage. Ein Administrator kann es im Terminal tun:',
  'refused-authority-dismissed': 'Die Passwortabfrage wurde geschlossen; es wurde nichts geändert.',
  'refused-authority-refused':
    'Das System hat abgelehnt: Das Passwort war falsch, oder niemand darf das hier. Es wurde nichts geändert. Ein Administrator kann es auch im Terminal tun:',
  'refused-authority-busy':
    'Eine Passwortabfrage ist bereits offen. Bitte zuerst diese beantworten.',
  'refused-authority-late':
    'Die Passwortabfrage wurde fünf Minuten lang nicht beantwortet und deshalb geschlossen.',
  'refused-helper-missing':
    'Nur Sottos Helfer darf ändern, wen dieser Computer fragt, und er läuft nicht. Diese Zeile startet ihn im Terminal; danach geht es von selbst weiter:',
  'refused-helper-refused':
    'Sottos Helfer, der ändert, wen dieser Computer fragt, konnte es nicht:',
  'refused-no-mechanism':
    'Sotto hat keinen Weg gefunden, alle Programme dieses Computers zu sich zu führen:',
  'refused-setting-locked':
    'Die Administration dieses Computers hat das festgelegt; hier lässt es sich nicht ändern.',
};
