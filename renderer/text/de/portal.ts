import type { portal as english } from '../en/portal.ts';
import type { Translated } from '../translated.ts';

export const portal: Translated<typeof english> = {
  title: 'Anmeldung an diesem Netz',
  evidence: {
    api: 'Das Netz selbst sagt es.',
    'network-manager': 'NetworkManager sagt es.',
    address: 'Von einer Adresse, unter der niemand antwortet, kam eine Seite.',
    names: 'Seiten mit bekanntem Text kamen verändert an.',
  },
  from: (site) => `Die Seite gehört zu ${site}.`,
  window:
    'Sie öffnet sich in einem eigenen Fenster, das allein sie erreicht. Was dort eingegeben wird, erfährt dieses Netz.',
  windowOpen: 'Ihr Fenster ist offen. Was dort eingegeben wird, erfährt dieses Netz.',
  open: 'Anmeldeseite öffnen',
  show: 'Ihr Fenster zeigen',
  skip: 'Das ist keine Anmeldeseite',
  check: 'Erneut nachsehen',
  checking: 'Prüfung läuft …',
  private: 'Eine verschlüsselte Verbindung steht wieder.',
  still: 'Noch steht keine verschlüsselte Verbindung.',
  skipped:
    'Der Befund ist verworfen: Bis zum Wechsel des Netzes gilt die Richtlinie, als gäbe es keine Anmeldeseite.',
  left: (countdown) => `Die Anmeldung ist offen: noch ${countdown}.`,
  close: 'Anmeldung schließen',
  browser: {
    address: (url) => `${url} öffnen`,
    direct:
      'Die Seite hat eine Adresse, es muss kein Name nachgeschlagen werden: öffnen und anmelden.',
    means: (site, duration) =>
      `Um sie zu öffnen, muss dieser Browser ${site} nachschlagen. Für ${duration} antwortet dieses Netz für diesen einen Namen, und zwar allen Programmen dieses Rechners; jeder andere Name bleibt verschlüsselt. Unter „Alle Ausnahmen“ wird es gezählt.`,
    allow: (site, duration) => `${site} für ${duration} erlauben`,
    next: 'Dort anmelden, dann zurückkehren: Sobald eine verschlüsselte Verbindung steht, endet die Erlaubnis.',
  },
};
