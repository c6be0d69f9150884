/** Who allowed queries to leave in cleartext: a part of `detailSentences` that the page recognises, too. */
export const consentSentences = {
  'consent-by': 'allowed by {who}.',
  'consent-fallback': 'fallback, by {why}.',
  'consent-rule': 'the rule {rule}, by {who}.',
} as const;
