import type { Command } from 'commander';
import { comparedQueries } from '../../contract/bounds.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import type { ProbeReport } from '../../contract/probing/probe-report.ts';
import type { MeasuredUpstream } from '../../contract/settings/upstream-methods.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe, safeJson } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCall, defineCommand, teach } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailed, unwrap } from '../failure.ts';
import { renderExamination } from '../render/examination.ts';
import {
  renderEarlyData,
  renderFastOpen,
  renderInVain,
  renderSecurity,
  renderStep,
} from '../render/probe.ts';
import { renderUpstreams } from '../render/status.ts';
import { defineCrossCheck } from './upstream-cross-check.ts';
import { defineEdits } from './upstream-edit.ts';
import { defineIdentities } from './upstream-identities.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'list',
    description: 'The upstreams in order of preference, as they are now.',
    examples: `  sotto upstream list
  sotto upstream list --json | jq -r '.upstreams[] | [.id, .state, .rttMs] | @tsv'`,
    method: 'upstream.list',
    say: ({ upstreams }) => renderUpstreams(upstreams, true),
  });

  defineCommand(command, {
    name: 'test',
    arguments: [['[id]', 'only this upstream; without it, one after the other']],
    description:
      'Open a fresh connection, authenticate it, ask one query, and show each step. What works is examined on a second connection: resumption, padding, DNSSEC, what the resolver says of itself.',
    examples: `  sotto upstream test            all of them
  sotto upstream test quad9      one: steps, times, certificates, pins, behaviour
  sotto upstream test --json     one object a line`,
    run: ([id]: [string?], options: CommonOptions) => testUpstreams(line, id, options),
  });

  defineCommand(command, {
    name: 'compare',
    description:
      'How fast each upstream answers from here, over its own connection. None is asked that only cleartext reaches.',
    examples: `  sotto upstream compare                     each as it answers
  sotto upstream compare --json | jq -s 'sort_by(.responseMs)[0].upstream'`,
    more: `What is asked for is the root, which says nothing about anyone; the time is the median of ${comparedQueries} queries, without the
handshake. "sotto upstream move NAME 1" asks one of them first from now on.`,
    run: (_given, options: CommonOptions) => compareUpstreams(line, options),
  });

  defineCrossCheck(command, line);

  defineCall(command, line, {
    name: 'forget',
    arguments: [['[id]', 'only this upstream; without it, all of them']],
    description: 'Drop what tells that you used an upstream before: its TLS tickets first of all.',
    examples: `  sotto upstream forget          nobody can link what comes with what was
  sotto upstream forget quad9    only this one
  sotto upstream forget --json   {"tickets": 7, "evidence": true}`,
    more: `A ticket saves most of the work of opening a connection, and shows the upstream that whoever got it is back. Each is used
once and each network has its own; this drops those of every network, ends the connections that are open, and renews
cookies. The next connection takes a full handshake. For an administrator, that its servers ever spoke TLS is forgotten, too,
in the state folder as well: until they do again, one of them that declines TLS is no sign of an attack. What stays is the system's own memory for TCP
Fast Open, which "ip tcp_metrics flush" empties.
Your address is the same as before: an upstream that sees only one person behind it needs no ticket.
"connections.ticketHours" says how long tickets are kept.`,
    method: 'upstream.forget',
    params: ([id]: [string?]) => (id === undefined ? {} : { id }),
    say: ({ tickets, evidence }) =>
      `${sayDropped(tickets)}; the next connection is a stranger's${evidence ? '' : keptEvidence}`,
  });

  defineEdits(command, line);
  defineIdentities(command, line);
  teach(
    command,
    `  sotto upstream list          state, TLS version, latency, what it cost
  sotto upstream test quad9    can it be reached and authenticated now?
  sotto upstream add google    one more to ask, from the catalogue
  sotto upstream compare       which is fast from here?
  sotto upstream cross-check   does one of them contradict the others?
  sotto upstream forget        let them not know you again`,
  );
}

async function testUpstreams(
  line: CommandLine,
  id: string | undefined,
  options: CommonOptions,
): Promise<void> {
  await withService(line, options, async (service) => {
    const ids = id === undefined ? await allIds() : [id];
    for (const one of ids) {
      if (!options.json) line.terminal.out(`${safe(one)}:`);
      const report = unwrap(await service.call('upstream.test', { id: one }));
      showReport(line, one, report, options);
      if (!report.ok) line.exitCode = exitCodes.failed;
    }

    async function allIds(): Promise<string[]> {
      const { upstreams } = unwrap(await service.call('upstream.list', {}));
      return upstreams.map((upstream) => upstream.id);
    }
  });
}

async function compareUpstreams(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  await withService(line, options, async (service) => {
    const failure = await followWork(
      service,
      'upstream.measured',
      () => service.call('upstream.measure', {}),
      (measured) => {
        if (measured.responseMs === null) line.exitCode = exitCodes.failed;
        terminal.out(options.json ? safeJson(measured) : sayMeasured(measured));
      },
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
}

function sayMeasured({ upstream, responseMs, error }: MeasuredUpstream): string {
  return responseMs === null
    ? safe(`${upstream}: ${error?.text ?? 'no response'}`)
    : `${safe(upstream)}: answers in ${sayLatency(responseMs)}`;
}

const keptEvidence =
  '\nwhat its servers have proved is still known, because only an administrator may make Sotto forget it';

function sayDropped(tickets: number): string {
  if (tickets === 0) return 'no ticket was kept';
  return tickets === 1 ? '1 ticket dropped' : `${tickets} tickets dropped`;
}

function showReport(
  line: CommandLine,
  id: string,
  report: ProbeReport,
  options: CommonOptions,
): void {
  const { terminal } = line;
  if (options.json) {
    terminal.out(safeJson({ id, ...report }));
    return;
  }
  for (const step of report.steps) terminal.out(renderStep(step, terminal));
  for (const text of renderFindings(report)) terminal.out(`  ${text}`);
  const verdict = report.ok
    ? 'works'
    : `failed: ${safe(report.error?.message ?? 'no reason given')}`;
  terminal.out(terminal.paint(report.ok ? 'green' : 'red', `  ${safe(id)} ${verdict}`));
  if (report.alternative !== undefined) {
    terminal.out(`  the other private way, ${alternativeVerdict(report.alternative)}`);
    for (const text of renderFindings(report.alternative)) terminal.out(`    ${text}`);
  }
}

function renderFindings(report: ProbeReport): string[] {
  const { examination, ok } = report;
  return [
    ...(ok ? renderInVain(report) : []),
    ...renderSecurity(report),
    ...renderFastOpen(report),
    ...renderEarlyData(report),
    ...(examination === undefined ? [] : renderExamination(examination)),
  ];
}

function alternativeVerdict({
  transport,
  address,
  ok,
  error,
}: NonNullable<ProbeReport['alternative']>): string {
  const way = `${transport} to ${safe(address)}`;
  return ok
    ? `${way}, works too`
    : `${way}, does not: ${safe(error?.message ?? 'no reason given')}`;
}
