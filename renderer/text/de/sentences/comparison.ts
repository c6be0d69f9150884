import type { comparisonSentences as english } from '../../../../app/contract/sentences/comparison.ts';

export const comparison: Record<keyof typeof english, string> = {
  'upstreams-too-few': 'Weniger als zwei gaben eine Antwort, die sich vergleichen lässt.',
  'upstreams-agreement': 'Sie widersprechen sich nicht.',
  'upstreams-differ-no-answer':
    'Sie sind sich nicht einig: {first} {firstCount|gibt|geben} eine Antwort, {second} {secondCount|sagt|sagen}, es gebe nichts.',
  'upstream-alone-no-answer':
    '{alone} steht allein: {first} {firstCount|gibt|geben} eine Antwort, {second} {secondCount|sagt|sagen}, es gebe nichts.',
  'upstreams-differ-blocking-address':
    'Sie sind sich nicht einig: {first} {firstCount|nennt|nennen} öffentliche Adressen, {second} {secondCount|nennt|nennen} nur sperrende oder private.',
  'upstream-alone-blocking-address':
    '{alone} steht allein: {first} {firstCount|nennt|nennen} öffentliche Adressen, {second} {secondCount|nennt|nennen} nur sperrende oder private.',
  'upstreams-differ-other-domain':
    'Sie sind sich nicht einig: {first} {firstCount|führt|führen} zu einer anderen Domain als {second}.',
  'upstream-alone-other-domain':
    '{alone} steht allein: Er führt zu einer anderen Domain als {first}.',
};
