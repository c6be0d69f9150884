/** Commander's declarations as plain data, from which completion and manual are generated. */
import type { Argument, Command, Option } from 'commander';
import { type Lesson, lessonOf } from './define-command.ts';

export interface DeclaredCommand {
  /** "sotto upstream test" */
  path: string;
  name: string;
  summary: string;
  description: string;
  arguments: DeclaredArgument[];
  options: DeclaredOption[];
  commands: DeclaredCommand[];
  lesson: Lesson | null;
}

export interface DeclaredArgument {
  /** "<name>" or "[type]" */
  usage: string;
  description: string;
  value: DeclaredValue;
}

export interface DeclaredOption {
  /** as typed: ["-f", "--follow"] */
  words: string[];
  /** "<glob>"; null where the option takes no value */
  usage: string | null;
  description: string;
  value: DeclaredValue | null;
  default: string | null;
}

export interface DeclaredValue {
  kind: ValueKind;
  choices: readonly string[];
}

/** What can stand there, which decides how a shell completes it. */
export type ValueKind = 'choice' | 'file' | 'folder' | 'upstream' | 'network' | 'free';

/** A placeholder tells the kind of the value. */
const kindOfPlaceholder: Readonly<Record<string, ValueKind>> = {
  file: 'file',
  folder: 'folder',
  id: 'upstream',
  network: 'network',
};

export function declaredCommand(command: Command, before = ''): DeclaredCommand {
  const path = `${before} ${command.name()}`.trim();
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    summary: help.subcommandDescription(command),
    description: command.description(),
    arguments: command.registeredArguments.map(declaredArgument),
    options: help.visibleOptions(command).map(declaredOption),
    commands: help.visibleCommands(command).map((inner) => declaredCommand(inner, path)),
    lesson: lessonOf(command),
  };
}

function declaredArgument(argument: Argument): DeclaredArgument {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return {
    usage: argument.required ? `<${name}>` : `[${name}]`,
    description: argument.description,
    value: declaredValue(argument.name(), argument.argChoices),
  };
}

function declaredOption(option: Option): DeclaredOption {
  const [usage = null] = /[<[].+[>\]]$/.exec(option.flags) ?? [];
  return {
    words: [option.short, option.long].filter((word) => word !== undefined && word !== null),
    usage,
    description: option.description,
    value: usage === null ? null : declaredValue(usage.slice(1, -1), option.argChoices),
    default: option.defaultValue === undefined ? null : String(option.defaultValue),
  };
}

function declaredValue(placeholder: string, choices: readonly string[] | undefined): DeclaredValue {
  if (choices !== undefined) return { kind: 'choice', choices };
  return { kind: kindOfPlaceholder[placeholder] ?? 'free', choices: [] };
}
