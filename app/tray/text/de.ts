import { protectSentences } from '../../contract/sentences/protect-de.ts';
import { verdictSentences } from '../../contract/sentences/verdict-de.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import { momentIn } from './moment.ts';
import type { TrayWords } from './words.ts';

const minutes = (count: number) => (count === 1 ? '1 Minute' : `${count} Minuten`);
const counted = new Intl.NumberFormat('de');

/** For issues about which a person can do something; the window has the details. */
const titles: Partial<Record<HealthIssueCode, string>> = {
  'downgrade-attempt': 'Jemand versucht möglicherweise, Anfragen lesbar zu machen',
  'certificate-wrong': 'Ein Anbieter konnte sich nicht ausweisen',
  'clock-wrong': 'Die Uhr geht anscheinend falsch',
  'settings-invalid': 'Die Einstellungen enthalten einen Fehler',
  'policy-file-invalid': 'Eine Richtliniendatei enthält einen Fehler',
  'settings-vanished': 'Eine Einstellungsdatei ist verschwunden',
  'certificates-vanished': 'Zertifikate eines Anbieters sind verschwunden',
  'listen-failed': 'Sotto kann keine Anfragen annehmen',
  'ledger-unwritable': 'Erlaubnisse lassen sich nicht festhalten',
  'system-dns-stuck': 'Das DNS des Systems ließ sich nicht zurückgeben',
  'system-dns-contested': 'Das DNS dieses Computers wurde übernommen',
  'no-private-path': 'Keine verschlüsselte Verbindung',
  'bypass-loop': 'Eine Regel führt zu Sotto zurück',
};

export const de: TrayWords = {
  verdict: verdictSentences,
  moment: momentIn('de'),
  minutes,
  upstream: (id, rttMs) => (rttMs === null ? id : `${id} · ${Math.round(rttMs)} ms`),
  providers: 'Anbieter',
  resting: (id) => `${id} · keine Verbindung`,
  chooseProvider: 'Auswählen und vergleichen …',
  retry: 'Erneut versuchen',
  allow: (count) => `Unverschlüsselt für ${minutes(count)} erlauben`,
  stayPrivate: 'Geschützt bleiben',
  requestOf: (group, upstream) => (group === '' ? upstream : `${group}: ${upstream}`),
  openLogin: 'Anmeldeseite öffnen',
  closeLogin: (left) =>
    left === null ? 'Anmeldung schließen' : `Anmeldung schließen (noch ${minutes(left)})`,
  noLogin: 'Das ist keine Anmeldeseite',
  claim: (suffix) => `Dieses Netz beansprucht ${suffix}`,
  moreClaims: (count) => (count === 1 ? '1 weiterer Anspruch …' : `${count} weitere Ansprüche …`),
  believe: 'Erlauben',
  disbelieve: 'Verschlüsselt lassen',
  protect: protectSentences,
  howToFix: 'Was hilft',
  otherProvider: 'Anderer Anbieter',
  stop: 'Beenden',
  inCleartext: ({ class: kind, rule, count }) => {
    const why =
      {
        policy: 'keine verschlüsselte Verbindung',
        bypass: rule === '' ? 'Ausnahme' : rule,
        off: 'aus',
        paused: 'pausiert',
        portal: 'Anmeldung',
        'service-down': 'Dienst ausgefallen',
        contested: 'System-DNS umkämpft',
        explicit: 'direkte Anfrage',
        none: '',
      }[kind] ?? kind;
    return `Unverschlüsselt (${why}): ${count === null ? 'nicht gezählt' : counted.format(count)}`;
  },
  trouble: ({ code, title, subject }) => {
    const words = titles[code] ?? title;
    return subject === '' ? words : `${words} (${subject})`;
  },
  pause: 'Pausieren',
  pauseFor: (count) => (count === 60 ? 'Für 1 Stunde' : `Für ${minutes(count)}`),
  pauseUntilRestart: 'Bis zum nächsten Start von Sotto',
  resume: (left) => (left === null ? 'Fortsetzen' : `Fortsetzen (noch ${minutes(left)})`),
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  connecting: 'Der Dienst wird gesucht …',
  lost: ({ code, message }) =>
    ({
      'not-running': 'Der Dienst läuft nicht. „sotto status“ sagt, wie er sich starten lässt.',
      'version-mismatch':
        'Dienst und Fenster sind verschiedene Versionen. Nach einem Neustart des Dienstes passen sie wieder zusammen.',
      forbidden: 'Der Dienst lässt dieses Konto nicht zu.',
      'connection-lost': 'Der Dienst hat die Verbindung beendet.',
    })[code as string] ?? message,
  tryAgain: 'Erneut versuchen',
  open: 'Sotto öffnen',
  copyDiagnostics: 'Diagnosebericht kopieren',
  startAtLogin: 'Beim Anmelden starten',
  quit: {
    tray: 'Symbol beenden',
    trayWhileRunning: 'Symbol beenden (Sottos Dienst läuft weiter)',
    trayWhileTaken: 'Symbol beenden (dieser Computer fragt weiter Sotto)',
    all: 'Sotto beenden (auch seinen Dienst)',
    allAndGiveBack: 'Sotto beenden (dieser Computer fragt wieder sein Netz)',
  },
  notice: {
    asking: (upstream) => ({
      title: verdictSentences['headline-choose'],
      body: `${upstream} ist hier nicht verschlüsselt erreichbar. Bis zur Entscheidung wird nichts gesendet.`,
    }),
    portal: (site) => ({
      title: verdictSentences['headline-log-in'],
      body: `${site === null ? 'Es' : site} lässt bis dahin nichts durch. Keine Ihrer Anfragen geht währenddessen unverschlüsselt hinaus.`,
    }),
    claim: (suffix, link) => ({
      title: `Dieses Netz beansprucht ${suffix}`,
      body: `Nach einer Erlaubnis gehen Anfragen nach diesen Namen unverschlüsselt an ${link}. Bis zur Entscheidung bleiben sie verschlüsselt.`,
    }),
    exposed: (network) => ({
      title: verdictSentences['headline-unencrypted'],
      body: `Über ${network} gelingt keine verschlüsselte Verbindung: Anfragen gehen unverschlüsselt hinaus. Jede wird gezählt.`,
    }),
    trouble: ({ code, title }) => ({
      title: titles[code] ?? title,
      body: 'Was es ist und was hilft, steht im Fenster.',
    }),
  },
  login: {
    title: 'Anmeldung an diesem Netz',
    left: (clock) => `noch ${clock}`,
    inCleartext: 'unverschlüsselt',
    over: 'Die Anmeldung ist geschlossen',
    beginAgain: 'Die Seite ist nicht mehr zu erreichen: „Neu beginnen“ öffnet den Weg wieder.',
    through: 'Ich bin angemeldet',
    again: 'Neu beginnen',
    close: 'Schließen',
    loading: 'Die Seite wird geholt …',
    checking: 'Es wird geprüft, ob eine verschlüsselte Verbindung steht …',
    notYet: 'Noch keine verschlüsselte Verbindung: Das Netz lässt weiterhin nichts durch.',
    failed: ({ why, certificate, triesAgain }) => {
      if (certificate)
        return `Nicht gezeigt: Für das Zertifikat dieser Seite bürgt niemand (${why}).`;
      const then = triesAgain ? 'Neuer Versuch …' : '„Neu beginnen“ versucht es noch einmal.';
      return `Die Seite antwortet nicht (${why}). ${then}`;
    },
  },
};
