/** What several upstreams say to one query, compared. */
export const comparisonSentences = {
  'upstreams-too-few': 'Fewer than two upstreams gave a response that can be compared.',
  'upstreams-agreement': 'The upstreams do not contradict each other.',
  'upstreams-differ-no-answer':
    'The upstreams disagree: {first} {firstCount|gives|give} an answer, and {second} {secondCount|says|say} that there is none.',
  'upstream-alone-no-answer':
    '{alone} is alone: {first} {firstCount|gives|give} an answer, and {second} {secondCount|says|say} that there is none.',
  'upstreams-differ-blocking-address':
    'The upstreams disagree: {first} {firstCount|gives|give} public addresses, and {second} {secondCount|gives|give} only addresses that block or are private.',
  'upstream-alone-blocking-address':
    '{alone} is alone: {first} {firstCount|gives|give} public addresses, and {second} {secondCount|gives|give} only addresses that block or are private.',
  'upstreams-differ-other-domain':
    'The upstreams disagree: {first} {firstCount|leads|lead} to another domain than {second}.',
  'upstream-alone-other-domain': '{alone} is alone: it leads to another domain than {first}.',
} as const;
