/** What a test found, in one sentence. Pure. */
import type { ProbeReport } from '../../../app/contract/probing/probe-report.ts';
import { isImpostor } from '../../../app/contract/protection/gravity.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';

export function sayVerdict(name: string, report: ProbeReport, text: Text, formats: Formats) {
  const { failed, works } = text.upstreams.test;
  if (!report.ok) return failed(name);
  return works[proofOf(report)](name, formats.latency(answerMs(report)));
}

/** From query to response; where steps don't tell, how long all of it took. */
function answerMs({ steps, ms }: ProbeReport): number {
  const at = (kind: string) => steps.find(({ step }) => step === kind)?.at;
  const [asked, answered] = [at('query'), at('response')];
  return asked === undefined || answered === undefined ? ms : answered - asked;
}

function proofOf({ tls }: ProbeReport): 'proved' | 'unproved' | 'clear' {
  if (tls === null) return 'clear';
  return tls.name !== null || tls.pinned ? 'proved' : 'unproved';
}

/** Of a test that failed. */
export function remedyFor({ error, tried = [] }: ProbeReport): 'impostor' | 'forbidden' | 'other' {
  const codes = [error?.code, ...tried.map(({ code }) => code)];
  if (codes.some(isImpostor)) return 'impostor';
  return codes.some((code) => code === 'lease-missing' || code === 'not-permitted')
    ? 'forbidden'
    : 'other';
}
