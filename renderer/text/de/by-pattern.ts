/** German for what the service says in English only: each sentence is recognised by a pattern, and its parts are put in. */
export type Pattern = readonly [said: RegExp, german: string];

/** null: no pattern fits, so the text stays English and is marked as such. */
export function germanBy(patterns: readonly Pattern[], text: string): string | null {
  for (const [said, german] of patterns) {
    const parts = said.exec(text);
    if (parts !== null)
      return german.replace(/\$(\d)/g, (_all, at: string) => parts[Number(at)] ?? '');
  }
  return null;
}
