/** Everything German, in one script, which is loaded where German is spoken (loaded.ts). */
import { verdictSentences } from '../../app/contract/sentences/verdict-de.ts';
import { causes, setterSentences, setters } from './de/causes.ts';
import { declaredSettings } from './de/declared-settings.ts';
import { expressionProblemInGerman } from './de/expression-problems.ts';
import { failures } from './de/failures.ts';
import { filterProblems } from './de/filter-problems.ts';
import { healthIssues } from './de/health-issues.ts';
import { importLineInGerman } from './de/import-lines.ts';
import { ledgerEndings } from './de/ledger-endings.ts';
import { operatorStatements } from './de/operator-statements.ts';
import { differenceInGerman, queryReasonInGerman } from './de/query-reasons.ts';
import { saidSettings } from './de/said-settings.ts';
import { sentences } from './de/sentences.ts';
import { refusalInGerman } from './de/setting-refusals.ts';
import { de } from './de.ts';

/** The sentences of the service, and those of its health issues by codes (`codesOfIssue`). */
const allSentences: Readonly<Record<string, string>> = {
  ...sentences,
  ...Object.fromEntries(
    Object.entries(healthIssues).flatMap(([code, { meaning, remedy }]) => [
      [`issue-${code}`, meaning],
      [`issue-${code}-remedy`, remedy],
    ]),
  ),
};

export const german = {
  text: de,
  saidSettings,
  declaredSettings,
  sentences: allSentences,
  verdictSentences,
  healthIssues,
  failures,
  causes,
  setters,
  setterSentences,
  ledgerEndings,
  filterProblems,
  operatorStatements,
  importLine: importLineInGerman,
  queryReason: queryReasonInGerman,
  difference: differenceInGerman,
  refusal: refusalInGerman,
  expressionProblem: expressionProblemInGerman,
};
