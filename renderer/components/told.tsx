/** Texts of the service: in the reader's language where the page has them, else in English and marked as such. */
import { causeOf } from '../../app/contract/protection/gravity.ts';
import type { Said } from '../../app/contract/sentences/sentence.ts';
import type { Tried, UpstreamError } from '../../app/contract/status/service-status.ts';
import {
  type ToldWords,
  wordsFor,
  wordsForCause,
  wordsForConsent,
  wordsForDifference,
  wordsForEnding,
  wordsForReason,
} from '../text/said.ts';
import { useWords } from '../text/use-text.ts';

export function Told({ english, says }: { english: string; says: readonly Said[] }) {
  return <Marked {...wordsFor(english, says, useWords())} />;
}

/** Why an upstream gave no response, and at which addresses. */
export function Cause({ of, tried }: CauseProps) {
  const english = 'text' in of ? of.text : of.message;
  const cause = causeOf({ tried, ...of });
  return <Marked {...wordsForCause(cause, english, useWords().language)} />;
}

interface CauseProps {
  of: UpstreamError | { code: string; message: string };
  /** given where it stands beside the error */
  tried?: Tried;
}

/** Addresses without a response, although another one responded. */
export function TriedInVain({ at }: { at: NonNullable<Tried> }) {
  const { text } = useWords();
  const message = at.map((one) => `${one.address}: ${one.text}`).join('; ');
  return (
    <>
      {text.upstreams.inVain} <Cause of={{ code: '', message }} tried={at} />
    </>
  );
}

/** The engine's own reason why a query was answered as it was. */
export function Reason({ of }: { of: string }) {
  return <Marked {...wordsForReason(of, useWords().language)} />;
}

/** How an answer differs from another. */
export function Difference({ of }: { of: string }) {
  return <Marked {...wordsForDifference(of, useWords().language)} />;
}

/** Why a permission ended. */
export function Ending({ of }: { of: string }) {
  return <Marked {...wordsForEnding(of, useWords())} />;
}

/** Who allowed queries to leave in cleartext. */
export function Consented({ of }: { of: string }) {
  return <Marked {...wordsForConsent(of, useWords())} />;
}

function Marked({ words, language }: ToldWords) {
  return useWords().language === language ? words : <span lang={language}>{words}</span>;
}
