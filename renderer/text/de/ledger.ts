import type { ledger as english } from '../en/ledger.ts';
import type { Translated } from '../translated.ts';

export const ledger: Translated<typeof english> = {
  about:
    'Jede Erlaubnis, Anfragen unverschlüsselt zu senden: wer sie gab, warum, bis wann und wie oft sie genutzt wurde. Sie steht auf der Platte, bevor die erste Anfrage hinausgeht.',
  open: 'Derzeit offen',
  noneOpen: 'Derzeit darf nichts unverschlüsselt hinaus.',
  closed: 'Beendet',
  never: 'Nie ging etwas unverschlüsselt hinaus.',
  neverWhy:
    'Auf diesem Rechner wurde nie eine Erlaubnis dazu gegeben. Kommt eine hinzu – durch eine Ausnahme, durch Sie oder durch Ausschalten von Sotto –, steht sie hier, bevor sie genutzt wird.',
  noneOfClass: 'Eine Erlaubnis dieser Art wurde nie gegeben.',
  class: 'Art',
  all: 'alle Arten',
  export: 'Als CSV speichern',
  group: (group) => `Gruppe ${group}`,
  counted: (count, one) =>
    one ? '1 unverschlüsselte Anfrage' : `${count} unverschlüsselte Anfragen`,
  uncounted: 'Niemand konnte zählen',
  rows: (count) => `${count}: unter „Anfragen“ zeigen`,
  facts: {
    why: 'Grund',
    who: 'Erlaubt durch',
    network: 'Netzwerk',
    since: 'Seit',
    until: 'Bis',
  },
  summary: {
    from: (since) => `ab ${since}`,
    span: (since, until) => `${since} bis ${until}`,
    by: 'erlaubt durch {who}, Netzwerk: {where}',
    ended: 'beendet: {why}',
  },
  anyNetwork: 'beliebig',
  left: (countdown) => `noch ${countdown}`,
  noEnd: 'bis es beendet wird',
  stop: {
    policy: 'Jetzt beenden: in diesem Netz privat bleiben',
    off: 'Jetzt beenden: Schutz einschalten',
    paused: 'Jetzt beenden: Schutz fortsetzen',
    bypass: 'Jetzt beenden: Ausnahme entfernen',
    bypassOf: (rule) => `Jetzt beenden: Ausnahme entfernen (${rule})`,
  },
  stopped: 'Beendet. Mit dieser Erlaubnis geht nichts mehr hinaus.',
  clearUpstreams: 'Sie endet, wenn ein Anbieter mit TLS an die Stelle derer ohne tritt.',
  means: {
    none: 'Nichts ging unverschlüsselt hinaus.',
    policy: 'Kein privater Weg funktionierte, und die Richtlinie oder jemand erlaubte es.',
    off: 'Sotto war ausgeschaltet; gefragt wurden die Resolver des Systems.',
    paused: 'Sotto war pausiert; gefragt wurden die Resolver des Systems.',
    bypass: 'Namen einer Ausnahme gehen an eigene Resolver.',
    portal: 'Die Anmeldeseite des Netzes brauchte es.',
    'service-down': 'Sotto lief nicht; gefragt wurden die Resolver des Systems.',
    contested:
      'Ein anderes Programm oder das Netz ändert das System-DNS; gefragt wird, wen es nennt.',
    explicit: 'Ein Befehl fragte einen Server unmittelbar, unverschlüsselt.',
  },
};
