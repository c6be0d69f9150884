/** What an operator says about itself: in the reader's language where the page has it, else in English and marked as such. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { germanFor } from '../../text/loaded.ts';
import { useWords } from '../../text/use-text.ts';

export function Stated({ english }: { english: string }) {
  const { language } = useWords();
  const known = germanFor(language)?.operatorStatements;
  if (known === undefined) return safe(english);
  const german = Object.hasOwn(known, english) ? known[english] : null;
  return german ?? <span lang="en">{safe(english)}</span>;
}
