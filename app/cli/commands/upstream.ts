import type { Command } from 'commander';
import type { ProbeReport } from '../../contract/probe-report.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { exitCodes, unwrap } from '../failure.ts';
import { renderFastOpen, renderSecurity, renderStep } from '../render-probe.ts';
import { renderUpstreams } from '../render-status.ts';
import { defineEdits } from './upstream-edit.ts';

export function define(command: Command, line: CommandLine): void {
  const list = command
    .command('list')
    .description('The upstreams in order of preference, as they are now.');
  withJson(withHome(list)).action((options) => listUpstreams(line, options));
  withExamples(
    list,
    `  sotto upstream list
  sotto upstream list --json | jq -r '.upstreams[] | [.id, .state, .rttMs] | @tsv'`,
  );

  const test = command
    .command('test')
    .argument('[id]', 'only this upstream; without it, one after the other')
    .description('Open a fresh connection, authenticate it, ask one question, and show each step.');
  withJson(withHome(test)).action((id: string | undefined, options) =>
    testUpstreams(line, id, options),
  );
  withExamples(
    test,
    `  sotto upstream test            all of them
  sotto upstream test quad9      one: steps, times, certificates, pins
  sotto upstream test --json     one object a line`,
  );

  defineEdits(command, line);
  withExamples(
    command,
    `  sotto upstream list          state, TLS version, latency
  sotto upstream test quad9    can it be reached and authenticated now?
  sotto upstream add mullvad   one more to ask, from the catalogue`,
  );
}

async function listUpstreams(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  const found = await withService(line, options, async (service) =>
    unwrap(await service.call('upstream.list', {})),
  );
  if (options.json) terminal.out(safeJson(found));
  else for (const text of renderUpstreams(found.upstreams)) terminal.out(text);
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
  for (const text of [...renderSecurity(report), ...renderFastOpen(report)])
    terminal.out(`  ${text}`);
  const verdict = report.ok
    ? 'works'
    : `failed: ${safe(report.error?.message ?? 'no reason given')}`;
  terminal.out(terminal.paint(report.ok ? 'green' : 'red', `  ${safe(id)} ${verdict}`));
  if (report.alternative !== undefined)
    terminal.out(`  the other private way, ${alternativeVerdict(report.alternative)}`);
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
