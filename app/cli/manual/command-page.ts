/** Manual pages of the command and of each of its commands, from their declarations. */
import { servicePaths } from '../../contract/service-paths.ts';
import type { DeclaredArgument, DeclaredCommand, DeclaredOption } from '../declared-command.ts';
import { exitCodesHelp } from '../exit-codes.ts';
import { firstSteps, promise } from '../program.ts';
import {
  argument,
  bold,
  italic,
  item,
  paragraph,
  section,
  subsection,
  text,
  title,
  verbatim,
} from './roff.ts';

export function programPage(program: DeclaredCommand, version: string): string {
  return page([
    title('sotto', 1, version),
    section('Name'),
    text('sotto - private DNS: the command line'),
    section('Synopsis'),
    `.B ${argument('sotto')}`,
    `${italic('command')} [${italic('options')}] [${italic('arguments')}]`,
    section('Description'),
    text(promise),
    paragraph(
      'A service answers the DNS queries of this machine on loopback and carries them to a resolver of your choice. Without a private path there is no response, and programs are told why; nothing is sent in cleartext because something failed.',
    ),
    section('Commands'),
    ...program.commands.map(({ name, summary }) =>
      item(
        name === 'help' ? bold('sotto help') : `${bold(pageName(name))}${text('(1)')}`,
        text(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
      ),
    ),
    section('Options'),
    ...program.options.map(optionItem),
    section('Examples'),
    verbatim(firstSteps),
    ...exitStatus(),
    section('Files'),
    ...files(),
    section('Environment'),
    item(bold('SOTTO_HOME'), text('A folder for all files of this Sotto, as --home.')),
    item(
      bold('XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR'),
      text('Where settings, state and the control socket are without SOTTO_HOME.'),
    ),
    item(
      bold('SOTTO_MODE'),
      text(
        '"system" for the service of the machine; its unit says so. Files are below /etc, /var/lib and /run.',
      ),
    ),
    item(bold('NO_COLOR'), text('No colour, even on a terminal.')),
    section('See also'),
    [
      ...program.commands
        .filter(({ name }) => name !== 'help')
        .map(({ name }) => `${bold(pageName(name))}${text('(1)')}`),
      ...[
        ['sotto-settings', 5],
        ['sotto-journal', 7],
        ['sotto-helper', 8],
        ['sotto-guardian', 8],
      ].map(([name, part]) => `${bold(`${name}`)}${text(`(${part})`)}`),
    ].join(',\n'),
  ]);
}

export function commandPage(command: DeclaredCommand, version: string): string {
  const inner = innermost(command);
  // A command with arguments works itself, beside the commands below it.
  const itself = inner.length === 0 || command.arguments.length > 0 ? [command] : [];
  return page([
    title(pageName(command.name), 1, version),
    section('Name'),
    text(`${pageName(command.name)} - ${command.summary}`),
    section('Synopsis'),
    ...[...itself, ...inner].flatMap((one, index) => [
      ...(index === 0 ? [] : ['.br']),
      synopsis(one),
    ]),
    section('Description'),
    text(command.description),
    ...notes(command),
    ...itself.flatMap((one) => argumentsAndOptions(one, section)),
    ...(inner.length === 0 ? [] : [section('Commands'), ...inner.flatMap(innerCommand)]),
    ...(command.lesson === null ? [] : [section('Examples'), verbatim(command.lesson.examples)]),
    ...exitStatus(),
    section('See also'),
    [`${bold('sotto')}${text('(1)')}`, `${bold('sotto-settings')}${text('(5)')}`].join(',\n'),
  ]);
}

/** The commands below it that do something; a group of them only holds others. */
function innermost(command: DeclaredCommand): DeclaredCommand[] {
  return command.commands
    .filter(({ name }) => name !== 'help')
    .flatMap((one) => (one.commands.length === 0 ? [one] : innermost(one)));
}

export function pageName(command: string): string {
  return `sotto-${command}`;
}

function innerCommand(command: DeclaredCommand): string[] {
  const { lesson } = command;
  return [
    subsection([command.path, ...command.arguments.map(({ usage }) => usage)].join(' ')),
    text(command.description),
    ...notes(command),
    ...command.arguments.map(argumentItem),
    ...command.options.map(optionItem),
    ...(lesson === null ? [] : [paragraph('Examples:'), verbatim(lesson.examples)]),
  ];
}

function synopsis({ path, arguments: values }: DeclaredCommand): string {
  return [
    bold(path),
    `[${italic('options')}]`,
    ...values.map(({ usage }) => placeholder(usage)),
  ].join(' ');
}

function argumentsAndOptions(
  command: DeclaredCommand,
  heading: (name: string) => string,
): string[] {
  return [
    ...(command.arguments.length === 0
      ? []
      : [heading('Arguments'), ...command.arguments.map(argumentItem)]),
    heading('Options'),
    ...command.options.map(optionItem),
  ];
}

function argumentItem({ usage, description, value }: DeclaredArgument): string {
  return item(placeholder(usage), text(`${description}${choices(value.choices)}`));
}

function optionItem({
  words,
  usage,
  description,
  value,
  default: standard,
}: DeclaredOption): string {
  const term = words.map(bold).join(', ');
  const otherwise = standard === null ? '' : ` (default: ${standard})`;
  return item(
    usage === null ? term : `${term} ${placeholder(usage)}`,
    text(`${description}${choices(value?.choices ?? [])}${otherwise}`),
  );
}

function choices(words: readonly string[]): string {
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}

/** "<name>" is required, "[type]" may be left out. */
function placeholder(usage: string): string {
  const name = italic(usage.slice(1, -1));
  return usage.startsWith('[') ? `[${name}]` : name;
}

function notes({ lesson }: DeclaredCommand): string[] {
  const more = lesson?.more ?? '';
  return more === '' ? [] : more.split('\n\n').map(note);
}

/** Indented lines are a table and stay as they are. */
function note(words: string): string {
  return words.startsWith('  ') ? verbatim(words) : paragraph(words);
}

function exitStatus(): string[] {
  const codes = [...exitCodesHelp.matchAll(/^ {2}(\d) {2}(.+)$/gm)];
  return [
    section('Exit status'),
    ...codes.map(([, code = '', meaning = '']) => item(bold(code), text(`${meaning}.`))),
  ];
}

function files(): string[] {
  const paths = servicePaths({
    HOME: '~',
    XDG_CONFIG_HOME: '/$XDG_CONFIG_HOME',
    XDG_STATE_HOME: '/$XDG_STATE_HOME',
    XDG_RUNTIME_DIR: '/$XDG_RUNTIME_DIR',
  });
  const meanings: [path: string, meaning: string][] = [
    [paths.settingsFile, 'your settings, read again when saved; XDG_CONFIG_HOME is ~/.config'],
    [`${paths.policyFolder}/*.json`, 'policies of whoever administers this machine'],
    [paths.stateFolder, 'the switch, the ledger, the query log; XDG_STATE_HOME is ~/.local/state'],
    [paths.controlSocket, 'the control socket, for the owner only'],
    ['/etc/sotto/settings.json', 'the settings of the installed service'],
    ['/var/lib/sotto', 'its switch, ledger, query log and audit log'],
    ['/run/sotto/control.sock', 'its control socket, which a command finds first'],
  ];
  return meanings.map(([path, meaning]) =>
    item(italic(path.replace(/^\/\$/, '$')), text(`${meaning}.`)),
  );
}

function page(parts: readonly string[]): string {
  const source =
    '.\\" Generated by app/cli/manual/manual-pages.ts from the declarations of the commands; changes belong there.';
  return `${[source, ...parts].join('\n')}\n`;
}
