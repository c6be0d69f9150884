import type { standingSentences as english } from '../../../../app/contract/sentences/standing.ts';

export const standing: Record<keyof typeof english, string> = {
  'state-off': 'Aus – unverschlüsselt. Das System fragt seine eigenen Resolver.',
  'state-starting': 'Verbindung zu {upstream} wird aufgebaut …',
  'state-private': 'Ihre Anfragen gehen über {tls} an {upstream}.',
  'state-asking':
    '{upstream} ist hier nicht verschlüsselt erreichbar. Bis zu Ihrer Entscheidung wird nichts gesendet.',
  'state-exposed': 'Anfragen gehen seit {since:moment} unverschlüsselt hinaus.',
  'state-exposed-until':
    'Anfragen gehen seit {since:moment} unverschlüsselt hinaus, bis {until:moment}.',
  'state-refusing': 'Keine verschlüsselte Verbindung: Anfragen werden verweigert.',
  'state-portal': 'Dieses Netz verlangt eine Anmeldung. DNS bleibt verschlüsselt.',
  'state-paused': 'Pausiert bis {until:moment} – unverschlüsselt.',
  'state-paused-until-restart': 'Pausiert bis zum nächsten Start von Sotto – unverschlüsselt.',
};
