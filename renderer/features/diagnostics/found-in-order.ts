/** The findings of an examination in the order in which a person needs them. Pure. */
import type { Finding } from '../../../app/contract/status/finding.ts';

export interface InOrder {
  /** what failed, then what is to be considered; each in the examination's order */
  problems: readonly Finding[];
  failed: number;
  /** to be considered */
  doubtful: number;
  fine: readonly Finding[];
}

export function inOrder(findings: readonly Finding[]): InOrder {
  const of = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict);
  const [failed, doubtful] = [of('fail'), of('warn')];
  return {
    problems: [...failed, ...doubtful],
    failed: failed.length,
    doubtful: doubtful.length,
    fine: of('ok'),
  };
}
