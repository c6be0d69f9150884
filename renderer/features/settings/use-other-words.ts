/** The words of settings in the other languages: loaded when a search begins, because most readers never need them. */
import { useEffect, useState } from 'react';
import { type SaidSettings, saidInOthers } from '../../text/declared-settings.ts';
import { useWords } from '../../text/use-text.ts';

export function useOtherWords(isSearched: boolean): readonly SaidSettings[] {
  const { language } = useWords();
  const [known, setKnown] = useState<readonly SaidSettings[]>(none);
  useEffect(() => {
    if (!isSearched) return;
    let current = true;
    // Where they can't be had, the search finds by the words of the present language.
    saidInOthers(language).then(
      (said) => current && setKnown(said),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [isSearched, language]);
  return known;
}

const none: readonly SaidSettings[] = [];
