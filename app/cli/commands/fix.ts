import { Argument, type Command, Option } from 'commander';
import { type CoverageFix, coverageFixes } from '../../contract/system/coverage-fixes.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage, unwrap } from '../failure.ts';
import { renderFixed, renderFixes, renderUndone } from '../render/fixes.ts';
import { print } from '../terminal/print.ts';

interface FixOptions extends CommonOptions {
  undo?: boolean;
  dryRun?: boolean;
}

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    arguments: [
      new Argument('[name]', 'what to fix; without it, all that can be fixed is listed').choices(
        coverageFixes,
      ),
    ],
    options: [
      ['--undo', 'undo it'],
      new Option('--dry-run', 'show which file would become what, and write nothing').conflicts(
        'undo',
      ),
    ],
    examples: `  sotto fix                      what can be fixed, and what is fixed
  sotto fix firefox --dry-run    which file becomes what
  sotto fix firefox              for all users of this machine
  sotto fix --undo firefox
  sudo sotto-helper undo-fixes   undo everything, without a service, as root`,
    more: `Programs that use a resolver of their own go around Sotto. A fix changes their settings in /etc: a browser asks this
computer, and its user can't choose otherwise; NetworkManager leaves /etc/resolv.conf alone while Sotto holds it;
Docker's containers ask the address of docker0, where sotto-bridges.service listens to them alone. What was
there before is written down first. Undoing restores it; of a file that others changed since, only what Sotto set is taken
out. Fixes of browsers and Docker stay when DNS is given back, and are undone when the package is removed. Needs the role administer.
The exit code is 1 where a fix was written and could not be proved to work.
Not reached: browsers from Flatpak, which read no policy in /etc, and Podman, whose settings in /etc hold for the containers
of every user, also for those that reach no bridge.`,
    run: (given: [CoverageFix?], options: FixOptions) => carryOut(line, given[0], options),
  });
}

async function carryOut(
  line: CommandLine,
  fix: CoverageFix | undefined,
  options: FixOptions,
): Promise<void> {
  const { undo = false, dryRun = false } = options;
  if (fix === undefined && (undo || dryRun))
    throw badUsage('the name of a fix is missing', 'see "sotto fix" for all of them');
  await withService(line, options, async (service) => {
    const show = (data: unknown, lines: () => readonly string[]) =>
      print(line.terminal, options, data, lines);
    if (fix === undefined) {
      const { fixes } = unwrap(await service.call('coverage.fixes', {}));
      return show({ fixes }, () => renderFixes(fixes));
    }
    if (undo) {
      const undone = unwrap(await service.call('coverage.undo', { fix }));
      return show(undone, () => renderUndone(undone));
    }
    const fixed = unwrap(await service.call('coverage.fix', { fix, dryRun }));
    if (fixed.proved === false) line.exitCode = exitCodes.failed;
    return show(fixed, () => renderFixed(fixed));
  });
}
