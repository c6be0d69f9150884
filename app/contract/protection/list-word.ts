/**
 * The word of a list of bypass rules, which share one ledger entry: how many they are, and a digest that tells the list from all
 * others. No name has a colon.
 */
export function listWord(rules: number, digest: string): string {
  return `list:${rules}:${digest}`;
}

/** How many rules it has; null: it is the word of one rule. */
export function rulesInList(word: string): number | null {
  const [, rules] = /^list:(\d+):[0-9a-f]{16}$/.exec(word) ?? [];
  return rules === undefined ? null : Number(rules);
}
