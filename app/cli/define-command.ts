/**
 * Declares commands, all in the same way: arguments and options of their own, then --home and --json, and a help that teaches
 * by examples. Most commands send one request to the service and print its reply; they declare only the request and how to
 * print.
 */
import type { Argument, Command, Option } from 'commander';
import type { MethodName, Params, ResultOf } from '../contract/service-api.ts';
import { type CommandLine, type CommonOptions, withService } from './command-line.ts';
import { exitCodes, exitCodesHelp } from './exit-codes.ts';
import { CommandFailed, unwrap } from './failure.ts';
import { print } from './terminal/print.ts';

interface Declaration {
  /** absent: the command itself, not one below it */
  name?: string;
  description?: string;
  arguments?: readonly (Argument | readonly [usage: string, description: string, given?: string])[];
  options?: readonly (Option | readonly [flags: string, description: string])[];
  /** absent where the output is a file's text, or nothing */
  json?: false;
  home?: false;
  examples: string;
  /** paragraphs below the examples */
  more?: string;
}

type Given = readonly unknown[];

interface Work<Arguments extends Given, Options> {
  run(given: Arguments, options: Options): Promise<void> | void;
}

interface Call<Name extends MethodName, Arguments extends Given, Options> {
  method: Name;
  /**
   * Called before the service is looked for, so that wrong arguments are reported without one. Absent: there are no parameters.
   */
  params?(given: Arguments, options: Options): Params<Name>;
  /** Lines for people, made harmless for a terminal. */
  say(reply: ResultOf<Name>, given: Arguments, options: Options): string | readonly string[];
  /** Printed on standard error where there is no output. */
  nothing?(given: Arguments): string;
  /** What --json prints; absent: the reply as it is. */
  data?(reply: ResultOf<Name>): unknown;
  /** The command worked, but the reply is a failure. */
  failed?(reply: ResultOf<Name>, options: Options): boolean;
  /** What to do where no service runs. */
  without?: string;
  /** The command by which an administrator does it for an account that may not. */
  asAdministrator?: string;
}

export function defineCommand<Arguments extends Given, Options extends CommonOptions>(
  parent: Command,
  declaration: Declaration & Work<Arguments, Options>,
): void {
  const { name, description, examples, more, run } = declaration;
  const command = name === undefined ? parent : parent.command(name);
  if (description !== undefined) command.description(description);
  for (const one of declaration.arguments ?? [])
    if ('length' in one) command.argument(...one);
    else command.addArgument(one);
  addOptions(command, declaration);
  command.action(async (...said: unknown[]) => {
    const count = command.registeredArguments.length;
    // Where a command above has the same option, that one receives it, wherever it stands.
    await run(said.slice(0, count) as unknown as Arguments, command.optsWithGlobals<Options>());
  });
  teach(command, examples, more);
}

function addOptions(command: Command, { options = [], home, json }: Declaration): void {
  for (const one of options)
    if ('length' in one) command.option(...one);
    else command.addOption(one);
  if (home !== false)
    command.option(
      '--home <folder>',
      'where this Sotto keeps its files (default: $SOTTO_HOME, those of the installed service, or XDG folders)',
    );
  if (json !== false)
    command.option('--json', 'print JSON: one object, or one a line where output goes on');
}

export function defineCall<
  Name extends MethodName,
  Arguments extends Given,
  Options extends CommonOptions,
>(
  parent: Command,
  line: CommandLine,
  declaration: Declaration & Call<Name, Arguments, Options>,
): void {
  const { method, params, say, nothing, data, failed, without, asAdministrator, ...declared } =
    declaration;
  const { terminal } = line;
  defineCommand<Arguments, Options>(parent, {
    ...declared,
    async run(given, options) {
      const wanted = params?.(given, options) ?? ({} as Params<Name>);
      const reply = await withService(line, options, async (service) =>
        unwrap(await service.call(method, wanted)),
      ).catch((error: unknown) => {
        throw withRemedy(error, without, asAdministrator);
      });
      if (failed?.(reply, options)) line.exitCode = exitCodes.failed;
      const lines = [say(reply, given, options)].flat();
      print(terminal, options, data === undefined ? reply : data(reply), () => lines);
      if (!options.json && lines.length === 0 && nothing !== undefined)
        terminal.error(nothing(given));
    },
  });
}

function withRemedy(
  error: unknown,
  without: string | undefined,
  asAdministrator: string | undefined,
): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const { failure } = error;
  const { code, remedy } = failure;
  if (code === 'not-running' && without !== undefined)
    return new CommandFailed({ ...failure, remedy: `${remedy}; ${without}` });
  if (code === 'forbidden' && asAdministrator !== undefined)
    return new CommandFailed({ ...failure, remedy: `${asAdministrator}; or ${remedy}` });
  return error;
}

/** What a command's help teaches beyond its declaration; the manual has it, too. */
export interface Lesson {
  examples: string;
  /** paragraphs below the examples; empty where there are none */
  more: string;
}

const lessons = new WeakMap<Command, Lesson>();

export function lessonOf(command: Command): Lesson | null {
  return lessons.get(command) ?? null;
}

export function teach(command: Command, examples: string, more = ''): void {
  lessons.set(command, { examples, more });
  const sections = [`Examples:\n${examples}`, more, exitCodesHelp].filter((text) => text !== '');
  command.addHelpText('after', `\n${sections.join('\n\n')}`);
}
