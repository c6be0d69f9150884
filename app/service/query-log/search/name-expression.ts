/** A person's regular expressions, run in time linear to the name, because an expression may come from a stranger, too. */
import { RE2JS, RE2JSException } from 're2js';
import type { PlacedTerm, WrongWord } from '../../../contract/query-log/log-filter.ts';

/** An expression that repeats repetitions becomes a program of this many steps at most. */
const longestProgram = 10_000;

/** Throws where the text is no regular expression. */
export function nameExpression(source: string): (name: string) => boolean {
  const expression = compiled(source);
  return (name) => expression.test(name);
}

/** Names in the log are in lower case, and people write them in both. */
function compiled(source: string): RE2JS {
  return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
}

/** What is wrong with the first text that is no expression; null where all are sound. */
export function expressionProblem(terms: readonly PlacedTerm[]): WrongWord | null {
  for (const { values } of terms) {
    for (const { text, regex } of values) {
      const message = regex ? whatIsWrong(text) : null;
      if (message === null) continue;
      const remedy = 'RE2 knows no lookaround and no back references; see its syntax page';
      return { word: `/${text}/`, message, remedy };
    }
  }
  return null;
}

function whatIsWrong(source: string): string | null {
  try {
    const size = compiled(source).programSize();
    return size > longestProgram ? `the expression becomes too large (${size} steps)` : null;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}
