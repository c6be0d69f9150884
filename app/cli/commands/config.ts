import type { Command } from 'commander';
import { safe, safeJson } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { defineCall, defineCommand, teach } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { renderSettings } from '../render/settings.ts';
import { defineEdits } from './config-edit.ts';

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    name: 'check',
    arguments: [['<file>', 'a settings or policy file']],
    description: 'Read a settings or policy file as the service would, and name its errors.',
    examples: `  sotto config check settings.json
  sotto config check settings.json && cp settings.json ~/.config/sotto/settings.json
  sotto config check /etc/sotto/policy.d/10-corp.json
  sotto config check settings.json --json | jq -r '.problems[] | "\\(.line) \\(.path)"'`,
    more: `A file is read as a policy where it lies in a folder policy.d, or where it has "name" or "settings" at its top. No service
is needed. The exit code is 2 when the file has an error, and 1 where something makes a policy useless or dangerous although nothing in it is
wrong, such as an end in the past, or a "pause" that needs a code while nothing locks "systemDns.take".`,
    run: ([file]: [string], options: CommonOptions) => check(line, file, options),
  });

  defineCall(command, line, {
    name: 'show',
    description: 'The settings in force: value, where it comes from, who locked it and why.',
    examples: `  sotto config show
  sotto config show --json | jq '.settings[] | select(.locked)'`,
    method: 'settings.effective',
    say: ({ settings }) => renderSettings(settings),
  });

  defineEdits(command, line);

  teach(
    command,
    `  sotto config check settings.json    errors with line, field and reason
  sotto config show                   what is in force, and why
  sotto config set downgrade warn     change it; "undo" takes it back`,
  );
}

async function check(line: CommandLine, file: string, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  const { checkFile } = await import('./settings-file.ts');
  const { policyFolder } = pathsFor(line, options);
  const { kind, problems, doubts, notes } = checkFile(file, policyFolder, line.now());
  if (doubts.length > 0) line.exitCode = exitCodes.failed;
  if (problems.length > 0) line.exitCode = exitCodes.usage;
  if (options.json) {
    terminal.out(safeJson({ file, kind, ok: problems.length === 0, problems, doubts, notes }));
    return;
  }
  for (const problem of [...problems, ...doubts]) {
    const place = [problem.file, problem.line].filter((part) => part !== null).join(':');
    const path = problem.path === '' ? '' : ` ${safe(problem.path)}:`;
    terminal.error(`${safe(place)}:${path} ${safe(problem.reason)}`);
  }
  for (const note of notes) terminal.error(`note: ${safe(note)}`);
  if (problems.length === 0) terminal.out(`${safe(file)} is ${sayKind(kind, doubts.length > 0)}.`);
  else
    terminal.error(
      `sotto: ${sayCount(problems.length)} – the service would keep ${kept[kind]} – correct the file`,
    );
}

function sayKind(kind: 'settings' | 'policy', isDoubtful: boolean): string {
  if (isDoubtful) return 'a policy, and valid, but doubtful as told above';
  return kind === 'policy' ? 'a policy, and fine' : 'fine';
}

const kept = { settings: 'its old settings', policy: 'what the policy said last' };

function sayCount(count: number): string {
  return count === 1 ? 'the file has an error' : `the file has ${count} errors`;
}
