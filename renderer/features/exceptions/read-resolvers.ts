/** Resolvers as a person writes them into a field: by lines, blanks or commas. */
import { isRuleTarget } from '../../../app/contract/settings/rule-words.ts';

interface ReadResolvers {
  to: string[];
  /** the first text that is no address */
  wrong: string | null;
}

export function readResolvers(text: string): ReadResolvers {
  const to = [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ''))];
  return { to, wrong: to.find((word) => !isRuleTarget(word)) ?? null };
}
