import type { coverageFix as english } from '../en/coverage-fix.ts';
import type { Translated } from '../translated.ts';

export const coverageFix: Translated<typeof english> = {
  title: (program) => `${program} zu Sotto führen`,
  means: (program) =>
    `${program} fragt dann diesen Computer wie jedes andere Programm, für alle, die ihn benutzen. Das lässt sich jederzeit rückgängig machen.`,
  changedFile: 'Ändert',
  newFile: 'Legt an:',
  hiddenFile: 'Setzt dies in einer Datei, deren Rest nur root lesen darf:',
  nothing: 'Alles ist schon so eingestellt; es gibt nichts zu ändern.',
  change: 'Ändern',
  undo: 'Rückgängig machen',
  undoOf: (program) => `Änderung an ${program} rückgängig machen`,
  fixed: (program) => `${program}: zu Sotto geführt`,
};
