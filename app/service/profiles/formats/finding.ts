/** What a file of another program can't say, or what of such a file Sotto can't take. None is dropped in silence. */

/** Where the other file would protect less than the profile does. Each is refused unless it is named in `--allow`. */
export const looserWords = ['opportunistic', 'pins', 'groups', 'cleartext'] as const;
export type Looser = (typeof looserWords)[number];

export interface Finding {
  /** a key, an upstream, a field of the other file */
  about: string;
  /** of the file that is read; null: it is about none */
  line: number | null;
  /** a sentence, which may hold words from a stranger's file */
  text: string;
  /** null: nothing gets looser by it */
  needs: Looser | null;
}

export function left(about: string, text: string, line: number | null = null): Finding {
  return { about, line, text, needs: null };
}

export function looser(about: string, needs: Looser, text: string): Finding {
  return { about, line: null, text, needs };
}
