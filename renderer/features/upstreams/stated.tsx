/** What an operator says about itself: in the reader's language where the page has it, else in English and marked as such. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { operatorStatements } from '../../text/de/operator-statements.ts';
import { useWords } from '../../text/use-text.ts';

export function Stated({ english }: { english: string }) {
  const { language } = useWords();
  if (language === 'en') return safe(english);
  const german = Object.hasOwn(operatorStatements, english) ? operatorStatements[english] : null;
  return german ?? <span lang="en">{safe(english)}</span>;
}
