/** The table as Markdown. */
import { cpus } from 'node:os';
import { markdownTable } from '../markdown-table.ts';
import { faults } from './faults.ts';
import { policies } from './policies.ts';
import { backWithinMs, type Verdict } from './verdict.ts';

/** The line for one cell during the run. */
export function line(verdict: Verdict): string {
  const { policy, fault, captured, ledger, states, problems } = verdict;
  const back =
    verdict.privateAfterMs === null ? '' : `, private again after ${verdict.privateAfterMs} ms`;
  const became = `${verdict.answered} answered, ${verdict.servfail} refused, ${verdict.lost} lost`;
  const restored =
    verdict.restoredAfterMs === null ? '' : `, restored after ${verdict.restoredAfterMs} ms`;
  const good = problems.length === 0 ? 'holds' : `FAILS: ${problems.join('; ')}`;
  return `${policy} × ${fault}: ${captured} in cleartext, ${ledger} in the ledger; ${became}${restored}${back} (${states.join(' → ')}): ${good}`;
}

export function markdown(verdicts: readonly Verdict[], seconds: number): string {
  const [cpu] = cpus();
  const failing = verdicts.filter(({ problems }) => problems.length > 0);
  const columns = ['fault', ...policies.map(({ name }) => name)];
  return `# Policy and faults: what left in cleartext, by tshark and by the ledger

Written by \`npm run lab:policy -- --write\` on ${new Date().toISOString().slice(0, 10)}: ${verdicts.length} cells in ${seconds} s; ${cpus().length} × ${cpu?.model.trim()}.

In each cell the real service runs in a network namespace of its own, and sotto-server in another one 10 ms away
(\`sotto-lab wire\` between them). A client queries 20 new names a second from beginning to end. The fault begins when all is
private and ends when policy has taken effect; dumpcap records the client's interface throughout, and tshark counts the
queries in cleartext in it, without TCP's retransmissions. The STARTTLS query carries no name and is not counted.

**Holds** in ${verdicts.length - failing.length} of ${verdicts.length} cells: both counts are equal; both are zero where nobody allowed anything; every query got
a response or SERVFAIL, except those that were lost with a killed service; the service was private again, with no permission left
open, within ${backWithinMs / 1000} s after the fault was removed.

## Queries in cleartext: captured / in the ledger

${markdownTable(
  columns,
  rows(
    verdicts,
    ({ captured, ledger, problems }) =>
      `${captured} / ${ledger ?? '?'}${problems.length > 0 ? ' **✗**' : ''}`,
  ),
)}

## Milliseconds from the end of the fault until private

In parentheses: after how many milliseconds the last query left in cleartext, where that was after the end.

${markdownTable(
  columns,
  rows(
    verdicts,
    ({ privateAfterMs, lastClearAfterMs }) =>
      `${privateAfterMs ?? 'was so all along'}${lastClearAfterMs === null ? '' : ` (${lastClearAfterMs})`}`,
  ),
)}

## What became of the queries: response / SERVFAIL / lost

${markdownTable(
  columns,
  rows(verdicts, ({ answered, servfail, lost }) => `${answered} / ${servfail} / ${lost}`),
)}

## The faults

${faults.map(({ name, about }) => `* **${name}**: ${about}.`).join('\n')}

Where the service was killed or stopped, "private" above counts from the end of the fault, and this table from the signal
until the service that took its place reported its state (milliseconds):

${markdownTable(
  columns,
  rows(verdicts, ({ restoredAfterMs }) => String(restoredAfterMs ?? '')).filter((row) =>
    row.slice(1).some(Boolean),
  ),
)}
${failing.length === 0 ? '' : `\n## What does not hold\n\n${failing.map(({ policy, fault, problems }) => `* ${policy} × ${fault}: ${problems.map((text) => text.split('\n')[0]).join('; ')}`).join('\n')}\n`}`;
}

function rows(verdicts: readonly Verdict[], show: (verdict: Verdict) => string): string[][] {
  return faults.map((fault) => [
    fault.name,
    ...policies.map((policy) => {
      const one = verdicts.find((each) => each.fault === fault.name && each.policy === policy.name);
      return one === undefined ? '' : show(one);
    }),
  ]);
}
