/** What can be wrong with a filter, as `filterProblems` of the contract says it in English. */
import type { FilterProblemCode } from '../../../app/contract/query-log/filter-problems.ts';

export const filterProblems: Record<FilterProblemCode, readonly [message: string, remedy: string]> =
  {
    'too-long': ['Der Filter ist zu lang', 'höchstens {0} Zeichen sind erlaubt'],
    'many-words': ['Der Filter hat mehr als {0} Wörter', 'weniger genügen'],
    'many-values': ['Mehr als {0} Werte', 'ein Stern oder ein regulärer Ausdruck hilft'],
    'one-value': ['„{0}:“ nimmt nur einen Wert', 'lassen Sie einen davon stehen'],
    'no-field': [
      'Es gibt kein Feld „{0}“',
      'es gibt {1}; ein Name mit Doppelpunkt gehört in Anführungszeichen',
    ],
    'no-word': ['Ein Wort fehlt', 'schreiben Sie eines oder löschen Sie das Zeichen'],
    'no-value': ['„{0}:“ hat keinen Wert', 'schreiben Sie einen hinter „{0}:“'],
    'open-quotes': ['Die Anführungszeichen sind nicht geschlossen', 'schreiben Sie " an ihr Ende'],
    'open-expression': [
      'Der Ausdruck ist leer oder nicht geschlossen',
      'schreiben Sie / an sein Ende, und \\/ für einen Schrägstrich darin',
    ],
    'behind-quotes': [
      '„{0}“ steht direkt hinter den Anführungszeichen',
      'ein Leerzeichen gehört dazwischen',
    ],
    'behind-slashes': [
      '„{0}“ steht direkt hinter den Schrägstrichen',
      'ein Leerzeichen gehört dazwischen',
    ],
    'no-name': ['Ein Name fehlt', 'er gehört zwischen die Anführungszeichen'],
    'long-name': ['Der Name ist zu lang', 'ein Teil davon genügt'],
    'many-stars': [
      'Mehr als {0} Sterne',
      'höchstens {0} sind erlaubt, oder ein regulärer Ausdruck',
    ],
    'not-duration': ['„{0}“ ist keine Dauer', 'so geht es: 100ms, 1.5s oder 1m'],
    'not-time': [
      '„{0}“ ist weder Dauer noch Zeitpunkt',
      'so geht es: 15m, 1h, 7d, 2026-01-31 oder 2026-01-31T14:58',
    ],
    'no-domain': [
      '„{0}“ ist kein Name einer Domain',
      'prüfen Sie ihn, oder lassen Sie „name:“ weg, um einen Teil zu finden',
    ],
    'no-link': ['„{0}“ ist eine Adresse im Web und kein Name', 'schreiben Sie nur den Namen darin'],
    path: [
      '„{0}“ ist ein Pfad und kein Name eines Programms',
      'schreiben Sie executable:{0} oder nur den letzten Teil',
    ],
    unit: [
      '„{0}“ ist eine Unit von systemd und kein Name eines Programms',
      'schreiben Sie unit:{0}',
    ],
    session: [
      '„{0}“ steht für eine Sitzung, deren Programme nicht bekannt sind',
      'schreiben Sie user: und das Konto, oder unit: und die Sitzung mit „.scope“ am Ende',
    ],
    'no-address': [
      '„{0}“ ist weder Adresse noch Präfix',
      'so geht es: 192.0.2.7, 192.0.2.0/24, 2001:db8::/32 oder 192.0.2.*, ohne Port',
    ],
    'no-upstream': [
      '„{0}“ ist weder die Kennung eines Anbieters noch eine Adresse',
      'so geht es: quad9, 192.0.2.53 oder [2001:db8::53]:53',
    ],
    'no-unit': ['„{0}“ ist keine Unit von systemd', 'so geht es: sshd.service oder sshd*'],
    'no-path': ['„{0}“ ist kein Pfad eines Programms', 'so geht es: /usr/bin/dig oder */dig'],
    'part-label': [
      '„{0}“ hat einen Stern neben Buchstaben außerhalb von ASCII',
      'schreiben Sie ganze Teile, wie *.bücher.example',
    ],
    'no-type': ['„{0}“ ist kein Typ von Einträgen', 'so geht es: {1}'],
    'no-rcode': ['„{0}“ ist kein Antwortcode', 'so geht es: {1}'],
    'no-outcome': ['„{0}“ ist kein Ergebnis', 'es gibt {1}'],
    'no-transport': ['„{0}“ ist kein Transport', 'es gibt {1}'],
    'no-cost': ['„{0}“ sind keine Kosten', 'es gibt {1}'],
    'no-clear': ['„{0}“ ist keine Art von Ausnahme', 'es gibt {1}'],
  };
