/** Words of the service: in the reader's language where the page has them, else marked as the English they are. */
import type { Said } from '../../app/contract/sentence.ts';
import {
  type ToldWords,
  wordsFor,
  wordsForCause,
  wordsForConsent,
  wordsForEnding,
} from '../text/said.ts';
import { useWords } from '../text/use-text.ts';

export function Told({ english, says }: { english: string; says: readonly Said[] }) {
  return <Marked {...wordsFor(english, says, useWords())} />;
}

/** Why an upstream gave no answer. */
export function Cause({ of }: { of: { code: string } & ({ text: string } | { message: string }) }) {
  const english = 'text' in of ? of.text : of.message;
  return <Marked {...wordsForCause(of.code, english, useWords().language)} />;
}

/** Why a permission ended. */
export function Ending({ of }: { of: string }) {
  return <Marked {...wordsForEnding(of, useWords())} />;
}

/** Who allowed what leaves in clear. */
export function Consented({ of }: { of: string }) {
  return <Marked {...wordsForConsent(of, useWords())} />;
}

function Marked({ words, language }: ToldWords) {
  return useWords().language === language ? words : <span lang={language}>{words}</span>;
}
