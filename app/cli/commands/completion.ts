import { Argument, type Command } from 'commander';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import type { Completions } from '../completion/completions.ts';
import { defineCommand } from '../define-command.ts';
import { print } from '../terminal/print.ts';

const shells: Readonly<Record<string, () => Promise<(completions: Completions) => string>>> = {
  bash: async () => (await import('../completion/bash.ts')).bashCompletion,
  zsh: async () => (await import('../completion/zsh.ts')).zshCompletion,
  fish: async () => (await import('../completion/fish.ts')).fishCompletion,
};

export function define(
  command: Command,
  line: CommandLine,
  wholeProgram: () => Promise<Command>,
): void {
  defineCommand(command, {
    arguments: [new Argument('<shell>', 'the shell you use').choices(Object.keys(shells))],
    home: false,
    examples: `  sotto completion bash >> ~/.bashrc
  sotto completion zsh >> ~/.zshrc           below the line with compinit
  sotto completion fish > ~/.config/fish/completions/sotto.fish
  eval "$(sotto completion bash)"            only in this terminal`,
    more: `Commands, options and their values are completed without the program being started; the ids of upstreams are
asked of the running service. After an update print it anew.`,
    run: async ([shell]: [string], options: CommonOptions) =>
      printCompletion(await wholeProgram(), line, shell, options),
  });
}

async function printCompletion(
  program: Command,
  line: CommandLine,
  shell: string,
  options: CommonOptions,
): Promise<void> {
  const { declaredCommand } = await import('../declared-command.ts');
  const { completionsOf } = await import('../completion/completions.ts');
  const write = await shells[shell]?.();
  if (write === undefined) return;
  const script = write(completionsOf(declaredCommand(program)));
  print(line.terminal, options, { shell, script }, () => script);
}
