/** `sotto upstream add`, `remove`, `move` and `catalogue`: who answers, and who could. */
import { type Command, Option } from 'commander';
import { sayMilliseconds } from '../../contract/duration.ts';
import type { Result } from '../../contract/errors.ts';
import { followWork } from '../../contract/follow-work.ts';
import type {
  CatalogueEntry,
  MeasuredResolver,
  NewUpstream,
  UpstreamChanged,
} from '../../contract/upstream-methods.ts';
import { type UpstreamTransport, upstreamTransports } from '../../contract/upstream-settings.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';

interface AddOptions extends CommonOptions {
  at?: string;
  name?: string;
  pin?: string[];
  as?: string;
  transport?: UpstreamTransport;
}

interface CatalogueOptions extends CommonOptions {
  measure?: boolean;
}

const aboutOrder =
  'The order is that of preference. Settings are changed as by "sotto config set"; "sotto config undo" takes it back.';

export function defineEdits(command: Command, line: CommandLine): void {
  const add = command
    .command('add')
    .argument('<server>', 'of the catalogue, an IP address with an optional port, or sdns://…')
    .description('Add an upstream: from the catalogue, by address, or by DNS stamp.')
    .option('--at <place>', 'place in the order, from 1; without it, the last')
    .option('--as <name>', 'what you call it: letters, digits, ".", "_" and "-"')
    .addOption(
      new Option(
        '--transport <transport>',
        'with an address: how it is asked (default: dot)',
      ).choices(upstreamTransports),
    )
    .option('--name <host>', 'with an address: the name its certificate must carry')
    .option(
      '--pin <pin>',
      'with an address: a public key it may use (base64 SHA-256); repeatable',
      collect,
    );
  withJson(withHome(add)).action((server: string, options: AddOptions) =>
    addOne(line, server, options),
  );
  withExamples(
    add,
    `  sotto upstream add mullvad                                   from the catalogue
  sotto upstream add 192.0.2.1 --name dns.example --at 1       by address, the first to be asked
  sotto upstream add 192.0.2.1 --transport tdns --pin "$PIN"
  sotto upstream add sdns://AwAAAAAAAAAACTE5Mi4wLjIuMQALZG5zLmV4YW1wbGU`,
    `A stamp of a transport that Sotto does not speak is refused with that transport's name. ${aboutOrder}`,
  );

  const remove = command
    .command('remove')
    .argument('<id>', 'which one')
    .description('Remove an upstream; the last one stays.');
  withJson(withHome(remove)).action((id: string, options) =>
    change(line, options, (service) => service.call('upstream.remove', { id }), 'is removed'),
  );
  withExamples(remove, '  sotto upstream remove quad9', aboutOrder);

  const move = command
    .command('move')
    .argument('<id>', 'which one')
    .argument('<place>', 'the place it has afterwards, from 1')
    .description('Change the order of preference.');
  withJson(withHome(move)).action((id: string, place: string, options) => {
    const to = readPlace(place);
    return change(
      line,
      options,
      (service) => service.call('upstream.move', { id, to }),
      `is number ${place}`,
    );
  });
  withExamples(move, '  sotto upstream move mullvad 1      asked first from now on', aboutOrder);

  const catalogue = command
    .command('catalogue')
    .description('Resolvers that come with Sotto, with what each says of itself, and where.')
    .option(
      '--measure',
      'ask each over a fresh, authenticated connection, and show how fast it answers',
    );
  withJson(withHome(catalogue)).action((options: CatalogueOptions) => showCatalogue(line, options));
  withExamples(
    catalogue,
    `  sotto upstream catalogue
  sotto upstream catalogue --measure      which is near?
  sotto upstream catalogue --json | jq -r '.resolvers[] | [.id, .logging] | @tsv'`,
    'What is measured is a question for the root, which says nothing about anyone.',
  );
}

function collect(pin: string, before: string[] | undefined): string[] {
  return [...(before ?? []), pin];
}

function readPlace(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw badUsage(
      `"${text}" is no place in the order`,
      'write 1 for the first, 2 for the second …',
    );
  return Number(text) - 1;
}

/** Addresses have colons or are digits and dots; names of the catalogue are neither. */
function readServer(server: string, options: AddOptions): NewUpstream {
  const id = options.as === undefined ? {} : { id: options.as };
  if (/^sdns:/i.test(server)) return { stamp: server, ...id };
  if (!/^[\d.]+(:\d+)?$|:/.test(server)) return { resolver: server };
  return {
    ...id,
    transport: options.transport ?? 'dot',
    address: server,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.pin === undefined ? {} : { pins: options.pin }),
  };
}

function addOne(line: CommandLine, server: string, options: AddOptions): Promise<void> {
  const upstream = readServer(server, options);
  const byAddress = 'address' in upstream;
  const misplaced = (['name', 'pin', 'transport'] as const).find(
    (option) => options[option] !== undefined,
  );
  if (!byAddress && misplaced !== undefined)
    throw badUsage(
      `--${misplaced} belongs to an address`,
      'the catalogue and stamps say it themselves',
    );
  if ('resolver' in upstream && options.as !== undefined)
    throw badUsage(
      '--as belongs to an address or a stamp',
      'one of the catalogue has its own name',
    );
  const at = options.at === undefined ? {} : { at: readPlace(options.at) };
  return change(
    line,
    options,
    (service) => service.call('upstream.add', { upstream, ...at }),
    'is added',
  );
}

async function change(
  line: CommandLine,
  options: CommonOptions,
  call: (service: ConnectedService) => Promise<Result<UpstreamChanged>>,
  what: string,
): Promise<void> {
  const { terminal } = line;
  const changed = await withService(line, options, async (service) => unwrap(await call(service)));
  if (options.json) return terminal.out(safeJson(changed));
  terminal.out(safe(`${changed.upstream.id} ${what}.`));
  for (const note of changed.notes) terminal.out(safe(note));
}

async function showCatalogue(line: CommandLine, options: CatalogueOptions): Promise<void> {
  const { terminal } = line;
  await withService(line, options, async (service) => {
    const found = unwrap(await service.call('catalogue.list', {}));
    if (options.measure !== true) {
      if (options.json) terminal.out(safeJson(found));
      else for (const text of renderCatalogue(found.resolvers)) terminal.out(text);
      return;
    }
    const labels = new Map(found.resolvers.map(({ id, label }) => [id, label]));
    const failure = await followWork(
      service,
      'catalogue.measured',
      () => service.call('catalogue.measure', {}),
      (measured) =>
        terminal.out(
          options.json ? safeJson(measured) : sayMeasured(measured, labels.get(measured.resolver)),
        ),
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
}

function renderCatalogue(resolvers: readonly CatalogueEntry[]): string[] {
  return resolvers.flatMap(({ id, label, operator, upstream, transport, ...said }) => [
    safe(
      `${id}  ${label}, ${operator}; ${transport}${upstream === null ? '' : `; in use as ${upstream}`}`,
    ),
    ...[said.filtering, said.validation, said.logging, said.source].flatMap((text) =>
      text === null ? [] : [`    ${safe(text)}`],
    ),
  ]);
}

function sayMeasured(measured: MeasuredResolver, label = measured.resolver): string {
  const { ok, answerMs, handshakeMs, error, address } = measured;
  if (!ok) return safe(`${label}: ${error?.message ?? 'no answer'}`);
  return `${safe(label)}: answers in ${sayMilliseconds(answerMs ?? 0)}, connected in ${sayMilliseconds(handshakeMs ?? 0)} (${safe(address ?? '')})`;
}
