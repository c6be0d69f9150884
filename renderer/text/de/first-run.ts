import type { firstRun as english } from '../en/first-run.ts';
import type { Translated } from '../translated.ts';

export const firstRun: Translated<typeof english> = {
  title: 'Sotto einrichten',
  open: 'Sotto in drei Schritten einrichten',
  step: (number, of) => `Schritt ${number} von ${of}`,
  next: 'Weiter',
  back: 'Zurück',
  skip: 'Überspringen',
  later: 'Jetzt nicht',
  finish: 'Fertig',
  locked: (who) => `${who} hat das für diesen Computer festgelegt; hier ist es nicht änderbar.`,
  upstream: {
    title: 'Wer beantwortet die Anfragen?',
    means: 'Wer hier gewählt wird, sieht jeden Namen, den dieser Computer nachschlägt.',
    choice: 'Anbieter',
    keep: (upstream) => `${upstream} beibehalten`,
    keepMeans: 'Wie jetzt eingerichtet.',
    about: {
      quad9:
        'Eine Stiftung in der Schweiz. Sperrt Schadsoftware und Phishing, speichert laut eigener Angabe keine Adressen.',
      'quad9-unfiltered': 'Dieselbe Stiftung. Sperrt nichts.',
      cloudflare:
        'Ein Unternehmen in den USA. Sperrt nichts, löscht Aufzeichnungen laut eigener Angabe binnen 25 Stunden.',
      google:
        'Ein Unternehmen in den USA. Sperrt nichts, speichert Adressen laut eigener Angabe bis zu 48 Stunden.',
    },
    more: 'Mehr',
    others: 'Jeder andere lässt sich später auf der Seite „Anbieter“ hinzufügen.',
    measure: 'Von hier aus messen',
    measureMeans:
      'Sotto schickt jedem eine Anfrage ohne Namen; jeder sieht dabei die Adresse dieses Computers.',
    measuring: 'Messung läuft …',
    answers: (latency) => `antwortet in ${latency}`,
    unreachable: 'nicht erreichbar',
  },
  policy: {
    title: 'Was, wenn keine verschlüsselte Verbindung gelingt?',
    means: 'Manche Netze verhindern sie. Das ist jederzeit änderbar.',
    choice: 'Ohne verschlüsselte Verbindung',
    policies: {
      refuse: {
        name: 'Blockieren',
        means:
          'Namen werden erst wieder nachgeschlagen, wenn eine verschlüsselte Verbindung gelingt; nichts dringt nach außen.',
      },
      warn: {
        name: 'Fragen',
        means: 'Sotto fragt nach, einmal je Netz, und sendet nichts bis zur Antwort.',
      },
      fallback: {
        name: 'Erlauben',
        means:
          'Anfragen gehen von selbst unverschlüsselt hinaus, und der Betreiber des Netzes liest sie mit.',
      },
    },
  },
  programs: {
    title: 'Diesen Computer schützen',
    none: 'Sotto hat keinen Weg gefunden, alle Programme dieses Computers zu sich zu führen. Einzelne Programme können es fragen.',
    one: 'Erst mit einem Programm ausprobieren',
    means: 'Sotto antwortet auf diesem Rechner unter {address}. Zum Ausprobieren im Terminal:',
    nowhere: 'Sotto lauscht derzeit an keiner Adresse; kein Programm kann fragen.',
    copy: 'Kopieren',
    copied: 'Kopiert.',
    notCopied: 'Dieser Browser lässt die Seite nicht kopieren; die Zeile lässt sich markieren.',
    after:
      'Jede Anfrage wird auf der Seite „Start“ gezählt und steht auf der Seite „Anfragen“, solange das nicht abgeschaltet wird.',
  },
  done: 'Sotto ist eingerichtet.',
  notYet: 'Noch nicht aktiv. Im Suchfeld steht: „Sotto in drei Schritten einrichten“.',
};
