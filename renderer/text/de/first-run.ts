import type { firstRun as english } from '../en/first-run.ts';
import type { Translated } from '../translated.ts';

export const firstRun: Translated<typeof english> = {
  title: 'Sotto einrichten',
  open: 'Sotto in drei Schritten einrichten',
  step: (number, of) => `Schritt ${number} von ${of}`,
  next: 'Weiter',
  back: 'Zurück',
  skip: 'Einrichtung überspringen',
  finish: 'Fertig',
  locked: (who) => `${who} hat das für diesen Rechner festgelegt; hier ist es nicht änderbar.`,
  upstream: {
    title: 'Wer beantwortet die Anfragen?',
    means:
      'Der gewählte Resolver sieht jeden Namen, nach dem dieser Rechner fragt. Die Angaben sind die der Betreiber über sich selbst. Andere lassen sich auf der Seite „Anbieter“ per Adresse oder DNS-Stamp hinzufügen.',
    choice: 'Resolver',
    keep: (upstream) => `${upstream} beibehalten`,
    keepMeans: 'wie jetzt eingerichtet',
    measure:
      'Wie schnell jeder antwortet, hängt vom Ort ab. Zum Messen stellt Sotto jedem eine Anfrage ohne Namen; jeder sieht dabei die Adresse dieses Rechners.',
  },
  policy: {
    title: 'Was, wenn kein privater Weg funktioniert?',
    means: 'Manche Netzwerke sperren verschlüsseltes DNS. Das ist jederzeit änderbar.',
    choice: 'Richtlinie',
    policies: {
      refuse: {
        name: 'Verweigern',
        means:
          'Namen werden erst wieder aufgelöst, wenn ein privater Weg funktioniert; Programme erfahren den Grund. Nichts geht je unverschlüsselt hinaus.',
      },
      warn: {
        name: 'Fragen',
        means:
          'Ebenso, aber Sotto fragt nach, einmal je Netzwerk. Nach einer Erlaubnis kann der Betreiber des Netzwerks die angefragten Namen lesen, solange sie gilt.',
      },
      fallback: {
        name: 'Nachgeben',
        means:
          'Anfragen gehen von selbst unverschlüsselt hinaus, lesbar für den Betreiber des Netzwerks, bis wieder ein privater Weg funktioniert. Namen werden immer aufgelöst. Jede solche Anfrage zählt das Klartext-Protokoll.',
      },
    },
  },
  programs: {
    title: 'Diesen Computer schützen',
    skippable: 'Das kann warten: Bis dahin fragt dieser Computer sein Netz, und Sotto sagt es.',
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
  skipped: 'Übersprungen. Unter „Suchen oder tun …“ steht: „Sotto in drei Schritten einrichten“.',
};
