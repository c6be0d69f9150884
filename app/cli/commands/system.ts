import type { Command } from 'commander';
import type { Result } from '../../contract/errors.ts';
import type { ServiceClient } from '../../contract/service-api.ts';
import type { SystemDnsDetails } from '../../contract/system-dns.ts';
import { safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { CommandFailed, exitCodes, unwrap } from '../failure.ts';
import { renderFinding } from '../render-finding.ts';
import { renderSystemDns } from '../render-system-dns.ts';

const aboutHelper = `The service itself may not change the system; sotto-helper does, and writes down what was there before. It is given back
while Sotto is off, when it ends, and with "sudo sotto-helper give-back", whatever has become of Sotto.`;

export function define(command: Command, line: CommandLine): void {
  const status = command
    .command('status')
    .description(
      "Whether the system's DNS is led to Sotto, by what, and what else this system has.",
    );
  withJson(withHome(status)).action((options) =>
    tell(line, options, (service) => service.call('system.status', {})),
  );
  withExamples(
    status,
    `  sotto system status
  sotto system status --json | jq '.status.taken'`,
  );

  const take = command
    .command('take')
    .description('Lead every program of this machine to Sotto: the setting systemDns.take.');
  withJson(withHome(take)).action((options) =>
    tell(line, options, (service) => service.call('system.take', {})),
  );
  withExamples(
    take,
    `  sotto system take
  sotto system probe      whether it works, and what goes past`,
    aboutHelper,
  );

  const giveBack = command
    .command('give-back')
    .description('Let the system ask whom it asked before.');
  withJson(withHome(giveBack)).action((options) =>
    tell(line, options, (service) => service.call('system.giveBack', {})),
  );
  withExamples(
    giveBack,
    `  sotto system give-back
  sudo sotto-helper give-back      the same without a service, as root`,
    aboutHelper,
  );

  const probe = command
    .command('probe')
    .description(
      'Test whether questions of this machine arrive at Sotto, and find what goes past it.',
    );
  withJson(withHome(probe)).action((options) => probeCoverage(line, options));
  withExamples(
    probe,
    `  sotto system probe
  sotto system probe --json | jq -r '.findings[] | select(.verdict != "ok").text'`,
    `Names that nobody else has are asked for in every way that programs use; Sotto answers them itself. Browsers with a
resolver of their own and containers are found in their files.`,
  );

  withExamples(
    command,
    `  sotto system status        who leads whom where
  sotto system take          every program asks Sotto
  sotto system give-back     as it was before`,
    aboutHelper,
  );
}

async function tell(
  line: CommandLine,
  options: CommonOptions,
  call: (service: ServiceClient) => Promise<Result<SystemDnsDetails>>,
): Promise<void> {
  const details = await orHint(() =>
    withService(line, options, async (service) => unwrap(await call(service))),
  );
  if (options.json) line.terminal.out(safeJson(details));
  else for (const text of renderSystemDns(details)) line.terminal.out(text);
}

/** Without a service the system may still be led to it. */
async function orHint<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.failure.code !== 'not-running') throw error;
    const { failure } = error;
    throw new CommandFailed({
      ...failure,
      remedy: `${failure.remedy}; what an earlier run left taken is given back by: sudo sotto-helper give-back`,
    });
  }
}

async function probeCoverage(line: CommandLine, options: CommonOptions): Promise<void> {
  const probed = await withService(line, options, async (service) =>
    unwrap(await service.call('system.probe', {})),
  );
  if (options.json) line.terminal.out(safeJson(probed));
  else
    for (const finding of probed.findings)
      for (const text of renderFinding(finding, line.terminal)) line.terminal.out(text);
  if (probed.findings.some(({ verdict }) => verdict === 'fail')) line.exitCode = exitCodes.failed;
}
