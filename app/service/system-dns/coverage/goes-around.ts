/** What the verdict needs of a probe's findings: whether queries of programs arrive, and which programs go around us. Pure. */

import type { GoesAround } from '../../../contract/protection/verdict.ts';
import type { SentenceCode } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { CoverageSeen } from '../../status/verdict.ts';

const programsCoverageGap: SentenceCode = 'programs-coverage-gap';

/** Any other coverage gap is an `other`: it counts, and has no name that a person would know. */
const kinds: Partial<Record<SentenceCode, GoesAround['kind']>> = {
  'link-coverage-gap': 'link',
  'browser-by-policy': 'browser',
  'browser-by-choice': 'browser',
  'docker-leads-past': 'engine',
  'docker-unable': 'engine',
  'container-leads-past': 'container',
};

export function seenBy(findings: readonly Finding[]): CoverageSeen {
  const past = findings
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ subject: name, says }) => ({ name, code: says.text[0]?.code as SentenceCode }));
  const around = past
    .filter(({ code }) => code !== programsCoverageGap)
    .map(({ name, code }): [string, GoesAround] => {
      const kind = kinds[code] ?? 'other';
      return [`${kind} ${name}`, { kind, name }];
    });
  return {
    programsArrive: past.every(({ code }) => code !== programsCoverageGap),
    around: [...new Map(around).values()],
  };
}
