import type { status as english } from '../en/status.ts';
import type { Translated } from '../translated.ts';

export const status: Translated<typeof english> = {
  states: {
    private: 'Privat',
    starting: 'Startet',
    asking: 'Wartet auf Entscheidung',
    exposed: 'Im Klartext',
    refusing: 'Verweigert',
    portal: 'Anmeldung nötig',
    paused: 'Pausiert',
    off: 'Aus',
    unknown: 'Unbekannt',
  },
  sentences: {
    private: 'Ihre Anfragen gehen über {tls} an {upstream}.',
    starting: 'Verbindung zu {upstream} wird aufgebaut …',
    asking:
      '{upstream} ist hier nicht privat erreichbar. Bis zu Ihrer Entscheidung wird nichts gesendet.',
    exposed: 'In diesem Netz gehen Anfragen seit {since} {clear} hinaus.',
    refusing: 'Kein privater Weg: Anfragen werden verweigert.',
    portal: 'Dieses Netz verlangt eine Anmeldung. DNS bleibt solange privat.',
    paused: 'Pausiert bis {until}. Anfragen gehen im Klartext an die Resolver des Systems.',
    pausedUntilRestart:
      'Pausiert bis zum nächsten Start. Anfragen gehen im Klartext an die Resolver des Systems.',
    off: 'Aus. Das System fragt seine eigenen Resolver.',
    unknown: 'Was mit Ihren Anfragen geschieht, ist gerade nicht bekannt.',
  },
  inClear: 'im Klartext',
  upstreams: 'Upstreams',
};
