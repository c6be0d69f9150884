import type { networks as english } from '../en/networks.ts';
import type { Translated } from '../translated.ts';

export const networks: Translated<typeof english> = {
  about:
    'Netzwerke, in denen dieser Rechner war. Was sie unterscheidet, lässt sich fälschen; deshalb wird ein Netzwerk nur an Anzeichen wiedererkannt und genießt kein Vertrauen.',
  here: 'Hier',
  nowhere: 'Dieser Rechner ist derzeit in keinem Netzwerk.',
  unavailable: 'Auf diesem System lässt sich das Netzwerk nicht beobachten.',
  others: 'Gemerkt',
  none: 'Kein anderes Netzwerk ist gemerkt.',
  noneWhy: 'Ein Netzwerk wird gemerkt, sobald dieser Rechner darin war.',
  change: 'Name und Richtlinie …',
  changeOf: (network) => `Name und Richtlinie von ${network}`,
  forget: 'Vergessen …',
  forgetOf: (network) => `${network} vergessen`,
  authenticated: 'ein Anbieter hat sich hier ausgewiesen',
  unauthenticated: 'noch hat sich hier kein Anbieter ausgewiesen',
  authenticatedThere: 'ein Anbieter hat sich dort ausgewiesen',
  unauthenticatedThere: 'kein Anbieter hat sich dort ausgewiesen',
  lastSeen: (moment) => `zuletzt ${moment}`,
  facts: {
    label: 'Erkannt als',
    id: 'Kennung',
    policy: 'Richtlinie',
    gateway: 'Gateway',
    domain: 'Suchdomäne',
    firstSeen: 'Zuerst gesehen',
  },
  via: (gateway, mac) => `${gateway}, Hardware-Adresse ${mac}`,
  asSettings: (policy) => `${policy} (nach den Einstellungen)`,
  links: 'Schnittstellen und ihre Resolver',
  link: (name, kind) => `${name} (${kind})`,
  down: 'inaktiv',
  noResolvers: 'keine Resolver',
  resolversOf: (resolvers) => `Resolver ${resolvers}`,
  claim: (domain, state) => `${domain}: ${state}`,
  domainsOf: (domains) => `für ${domains}`,
  provenance: (link) => `diesem Rechner auf ${link} mitgeteilt`,
  waiting: {
    title: (policy) => `Die Richtlinie dieses Netzwerks wartet: ${policy}`,
    text: 'Sie ist lockerer als die Einstellungen, und noch zeigt nichts, dass es dasselbe Netzwerk ist. Bis sich hier ein Anbieter ausgewiesen hat oder Sie es bestätigen, gelten die Einstellungen.',
    confirm: 'Es ist dieses Netzwerk: Richtlinie anwenden',
    done: 'Die Richtlinie dieses Netzwerks gilt.',
  },
  dialog: {
    title: (network) => `Netzwerk ${network}`,
    name: 'Name',
    nameHint: 'Eigene Bezeichnung; leer entfernt den Namen.',
    nameProblem: 'Höchstens 64 Zeichen, keines davon unsichtbar.',
    policy: 'Wenn in diesem Netzwerk kein privater Weg funktioniert',
    names: {
      refuse: 'verweigern',
      warn: 'fragen',
      fallback: 'nachgeben',
      settings: 'wie in den Einstellungen',
    },
    means: {
      settings: (policy) => `Derzeit heißt das: ${policy}.`,
      refuse: 'Anfragen bleiben ohne Antwort. Kein Name geht je unverschlüsselt hinaus.',
      warn: 'Sie werden jedes Mal gefragt. Unverschlüsselt geht nichts hinaus, bis Sie es erlauben, und nur für die gewählten Minuten.',
      fallback:
        'Anfragen gehen von selbst unverschlüsselt hinaus: Der Betreiber dieses Netzes, und wer auf dem Weg mitliest, erfährt, nach welchen Namen dieser Rechner fragt.',
    },
    looser:
      'Das ist lockerer als die Einstellungen. Bei einem späteren Besuch gilt es erst, wenn sich ein Anbieter ausgewiesen hat oder Sie das Netzwerk bestätigt haben.',
    locked: (who) =>
      `Die Richtlinie ist durch ${who} gesperrt: Eine lockerere für ein Netzwerk bleibt ohne Wirkung.`,
    lockedByPolicy:
      'Die Richtlinie ist gesperrt: Eine lockerere für ein Netzwerk bleibt ohne Wirkung.',
    administrator:
      'Eine lockerere Richtlinie als die der Einstellungen darf nur eine Administratorin oder ein Administrator setzen.',
    save: 'Speichern',
  },
  forgetting: {
    title: (network) => `${network} vergessen?`,
    text: 'Name und Richtlinie gehen verloren; kommt dieser Rechner wieder dorthin, gelten die Einstellungen.',
    yes: 'Vergessen',
  },
  saved: (network) => `${network} ist gespeichert.`,
  forgotten: (network) => `${network} ist vergessen.`,
};
