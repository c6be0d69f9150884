/** Every sentence of the service in German, by the code under which the contract declares its English. */

import type { SentenceCode } from '../../../app/contract/sentences/sentence.ts';
import { verdictSentences } from '../../../app/contract/sentences/verdict-de.ts';
import { comparison } from './sentences/comparison.ts';
import { connections } from './sentences/connections.ts';
import { coverage } from './sentences/coverage.ts';
import { coverageMap } from './sentences/coverage-map.ts';
import { details } from './sentences/details.ts';
import { examination } from './sentences/examination.ts';
import { fixes } from './sentences/fixes.ts';
import { remedies } from './sentences/remedies.ts';
import { standing } from './sentences/standing.ts';

export const sentences: Readonly<Record<SentenceCode, string>> = {
  ...verdictSentences,
  ...standing,
  ...examination,
  ...coverage,
  ...connections,
  ...comparison,
  ...fixes,
  ...coverageMap,
  ...details,
  ...remedies,
};
