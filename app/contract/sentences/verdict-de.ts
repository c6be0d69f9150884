/** The same in German. It stands here, and not in the window's catalogue, because the tray needs it as well. */
import type { verdictSentences as english } from './verdict.ts';

export const verdictSentences: Record<keyof typeof english, string> = {
  'headline-protected': 'Geschützt',
  'headline-not-in-use': 'Noch nicht aktiv',
  'headline-partly': 'Teilweise geschützt',
  'headline-connecting': 'Verbindet',
  'headline-choose': 'Ihre Entscheidung',
  'headline-unencrypted': 'Unverschlüsselt',
  'headline-blocked': 'Blockiert',
  'headline-log-in': 'Im WLAN anmelden',
  'headline-paused': 'Pausiert bis {until:moment} – unverschlüsselt',
  'headline-paused-until-restart': 'Pausiert bis zum nächsten Start – unverschlüsselt',
  'headline-off': 'Aus – unverschlüsselt',
  'headline-not-responding': 'Antwortet nicht',

  'verdict-protected': '{upstream} beantwortet die Anfragen dieses Computers, verschlüsselt.',
  'verdict-not-in-use': 'Sotto ist bereit, aber dieser Computer fragt jemand anderen.',
  'verdict-asks-elsewhere': 'Dieser Computer fragt jemand anderen, nicht Sotto.',
  'verdict-reached':
    'Programme, die von Hand auf Sotto eingestellt sind, bekommen verschlüsselt Antwort.',
  'verdict-reached-unencrypted':
    'Auch was Sotto erreicht, geht seit {since:moment} unverschlüsselt hinaus.',
  'verdict-around-programs': '{programs} {number|geht|gehen} an Sotto vorbei.',
  'verdict-around-containers':
    '{containers} {containers|Container geht|Container gehen} an Sotto vorbei.',
  'verdict-around-both': '{programs} und {containers} Container gehen an Sotto vorbei.',
  'verdict-around-some': 'Manche Programme gehen an Sotto vorbei.',
  'verdict-around-counted':
    '{count} {count|Anfrage oder Verbindung ging|Anfragen oder Verbindungen gingen} daran vorbei, seit {since:moment}.',
  'verdict-connecting': 'Verbindung zu {upstream} wird aufgebaut …',
  'verdict-checking': 'Es wird geprüft, ob die Anfragen dieses Computers bei Sotto ankommen …',
  'verdict-no-link': 'Es wird auf ein Netz gewartet …',
  'verdict-choose':
    '{upstream} ist hier nicht verschlüsselt erreichbar. Bis zu Ihrer Entscheidung wird nichts gesendet.',
  'verdict-unencrypted': 'Anfragen gehen hier unverschlüsselt hinaus.',
  'verdict-unencrypted-since': 'Anfragen gehen hier seit {since:moment} unverschlüsselt hinaus.',
  'verdict-unencrypted-until':
    'Anfragen gehen hier seit {since:moment} unverschlüsselt hinaus; es wurde erlaubt, noch {until:left}.',
  'verdict-contested':
    'Ein anderes Programm oder das Netz hat das DNS dieses Computers übernommen: Anfragen gehen unverschlüsselt hinaus.',
  'verdict-contested-since':
    'Ein anderes Programm oder das Netz hat das DNS dieses Computers übernommen: Anfragen gehen seit {since:moment} unverschlüsselt hinaus.',
  'verdict-contested-closed':
    'Ein anderes Programm oder das Netz hat das DNS dieses Computers übernommen: Anfragen sind blockiert, bis Sotto es zurückhat; keine geht unverschlüsselt hinaus.',
  'verdict-contested-again':
    'Ein anderes Programm oder das Netz ändert immer wieder das DNS dieses Computers; was dabei abgelenkt wird, geht unverschlüsselt hinaus.',
  'verdict-blocked':
    'Keine verschlüsselte Verbindung: Anfragen sind blockiert, keine geht unverschlüsselt hinaus.',
  'verdict-log-in': 'Anfragen warten, bis Sie angemeldet sind; keine geht unverschlüsselt hinaus.',
  'verdict-log-in-waits': 'Anfragen warten, bis Sie angemeldet sind.',
  'verdict-asks-network': 'Dieser Computer fragt sein Netz, unverschlüsselt.',
  'verdict-exceptions': '{exceptions} {exceptions|Ausnahme gilt|Ausnahmen gelten}.',
};
