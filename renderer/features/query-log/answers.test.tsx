/** What the page says of answers side by side. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ResponseOfOne } from '../../../app/contract/probing/ask-each.ts';
import { type Judgement, withWords } from '../../../app/contract/probing/comparison.ts';
import type { Language } from '../../text/catalogue.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { WordsContext, wordsIn } from '../../text/use-text.ts';
import { Answers } from './answers.tsx';

await loadLanguage('en');
await loadLanguage('de');

const times = { cost: 'reused', connectMs: 0, waitMs: 12, roundTrips: 1 } as const;
const rest = { ...times, transport: 'dot', response: null, error: null, differs: [] } as const;
const denied: Judgement = {
  is: 'no-answer',
  compared: ['a', 'b', 'c'],
  sides: [['a', 'b'], ['c']],
  alone: 'c',
};

function drawn(language: Language, last: Judgement | null): string {
  const answers: ResponseOfOne[] = [
    { ...rest, upstream: 'a', differs: [], comparison: null },
    { ...rest, upstream: 'b', differs: [], comparison: last && withWords(last) },
  ];
  return renderToStaticMarkup(
    <WordsContext value={wordsIn(language, [])}>
      <Answers answers={answers} />
    </WordsContext>,
  );
}

test.each([
  ['en', 'c is alone: a, b give an answer, and c says that there is none.'],
  ['de', 'c steht allein: a, b geben eine Antwort, c sagt, es gebe nichts.'],
] as const)('the verdict is one sentence (%s)', (language, sentence) => {
  expect(drawn(language, denied)).toContain(`>${sentence}</p>`);
});

test('there is no verdict before the last answer', () => {
  expect(drawn('en', null)).not.toMatch(/alone|disagree|contradict|compared/);
});
