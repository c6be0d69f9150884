/** What several upstreams say to one query, compared. "They" are those that stand beside it: providers in the window, upstreams elsewhere. */
export const comparisonSentences = {
  'upstreams-too-few': 'Fewer than two of them gave a response that can be compared.',
  'upstreams-agreement': 'They do not contradict each other.',
  'upstreams-differ-no-answer':
    'They disagree: {first} {firstCount|gives|give} an answer, and {second} {secondCount|says|say} that there is none.',
  'upstream-alone-no-answer':
    '{alone} is alone: {first} {firstCount|gives|give} an answer, and {second} {secondCount|says|say} that there is none.',
  'upstreams-differ-blocking-address':
    'They disagree: {first} {firstCount|gives|give} public addresses, and {second} {secondCount|gives|give} only addresses that block or are private.',
  'upstream-alone-blocking-address':
    '{alone} is alone: {first} {firstCount|gives|give} public addresses, and {second} {secondCount|gives|give} only addresses that block or are private.',
  'upstreams-differ-other-domain':
    'They disagree: {first} {firstCount|leads|lead} to another domain than {second}.',
  'upstream-alone-other-domain': '{alone} is alone: it leads to another domain than {first}.',
} as const;
