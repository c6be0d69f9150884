import type { ledger as english } from '../en/ledger.ts';
import type { Translated } from '../translated.ts';

export const ledger: Translated<typeof english> = {
  about:
    'Jede Erlaubnis, unverschlüsselt zu senden: von wem, warum, bis wann und wie oft genutzt. Sie steht auf der Platte, bevor die erste Anfrage hinausgeht.',
  open: 'Derzeit offen',
  noneOpen: 'Derzeit darf nichts unverschlüsselt hinaus.',
  closed: 'Beendet',
  never: 'Nie ging etwas unverschlüsselt hinaus.',
  neverWhy:
    'Auf diesem Rechner wurde nie eine Erlaubnis dazu gegeben. Kommt eine hinzu, steht sie hier, bevor sie genutzt wird.',
  dayOf: (day) => `In Kraft am ${day}`,
  everyDay: 'Alle Tage zeigen',
  noneOfDay: 'Soweit bekannt, galt an diesem Tag keine Erlaubnis, unverschlüsselt zu senden.',
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
    action: 'Beenden',
    policy: 'Beenden: in diesem Netz verschlüsselt bleiben',
    off: 'Beenden: Schutz einschalten',
    paused: 'Beenden: Schutz fortsetzen',
    bypass: (rule) => `Beenden: Ausnahme für ${rule} entfernen`,
  },
  stopped: 'Beendet. Mit dieser Erlaubnis geht nichts mehr hinaus.',
  list: (rules) => `${rules} Ausnahmen zusammen`,
  clearUpstreams:
    'Sie endet, wenn ein verschlüsselt erreichbarer Anbieter an die Stelle der anderen tritt.',
  means: {
    none: 'Nichts ging unverschlüsselt hinaus.',
    policy:
      'Kein Anbieter war verschlüsselt erreichbar, und die Richtlinie oder jemand erlaubte es.',
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
