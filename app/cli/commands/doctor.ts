import type { Command } from 'commander';
import type { Verdict } from '../../contract/status/finding.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { renderFinding } from '../render/finding.ts';
import { print } from '../terminal/print.ts';

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    examples: `  sotto doctor                             everything, with what to do
  sotto doctor --json | jq 'select(.verdict != "ok")'
  sotto doctor > /dev/null && echo "all is well"`,
    more: `It looks at the program, the settings, the service and its guardian, the policy in force, what waits for your
answer, the network, the addresses listened on, each upstream (a fresh connection), the clock, the disk, the
permissions to send in cleartext and their ledger, and the system around it. Without a service it tests what can be tested. It changes nothing. The exit code is 1 when something failed; warnings leave it 0.`,
    run: (_given, options: CommonOptions) => seeDoctor(line, options),
  });
}

async function seeDoctor(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  const { examine } = await import('../doctor/examine.ts');
  const counts: Record<Verdict, number> = { ok: 0, warn: 0, fail: 0 };
  for await (const finding of examine(line, options)) {
    counts[finding.verdict] += 1;
    print(terminal, options, finding, () => renderFinding(finding, terminal));
  }
  if (counts.fail > 0) line.exitCode = exitCodes.failed;
  if (!options.json)
    terminal.out(`\n${counts.ok} fine, ${counts.warn} to look at, ${counts.fail} failed.`);
}
