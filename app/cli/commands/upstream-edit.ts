/** `sotto upstream add`, `remove`, `move` and `catalogue`: the upstreams, and the resolvers that could become one. */

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type KeyUse,
  keyUses,
  type UpstreamTransport,
  upstreamTransports,
} from '../../contract/engine-words.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import type { Params } from '../../contract/service-api.ts';
import { hasEnded } from '../../contract/settings/has-ended.ts';
import type {
  CatalogueEntry,
  MeasuredResolver,
  NewUpstream,
  UpstreamChanged,
} from '../../contract/settings/upstream-methods.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCall, defineCommand } from '../define-command.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';
import { renderInVain } from '../render/probe.ts';
import { print } from '../terminal/print.ts';

interface AddOptions extends CommonOptions {
  at?: string;
  name?: string;
  pin?: string[];
  ca?: string;
  identity?: string;
  as?: string;
  transport?: UpstreamTransport;
  over?: string[];
  keys?: KeyUse;
}

interface CatalogueOptions extends CommonOptions {
  measure?: boolean;
}

const aboutOrder =
  'The order is that of preference. Settings are changed as by "sotto config set"; "sotto config undo" takes it back.';

export function defineEdits(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'add',
    arguments: [
      ['<server>', 'of the catalogue, an IP address with an optional port, sdns://… or encdns://…'],
    ],
    description:
      'Add an upstream: from the catalogue, by address, by DNS stamp, or by the address of an EncDNS server.',
    options: [
      ['--at <place>', 'place in the order, from 1; without it, the last'],
      ['--as <name>', 'what you call it: letters, digits, ".", "_" and "-"'],
      new Option(
        '--transport <transport>',
        'with an address: how it is asked (default: dot)',
      ).choices(upstreamTransports.filter((one) => one !== 'encdns')),
      ['--name <host>', 'with an address: the name its certificate must carry'],
      new Option(
        '--pin <pin>',
        'with an address: a public key it may use (base64 SHA-256); repeatable',
      ).argParser(collect),
      [
        '--ca <file>',
        "with an address: PEM file of authorities to trust instead of the system's; the service must be able to read it",
      ],
      [
        '--identity <name>',
        'with an address: the client identity by which the server knows this machine',
      ],
      new Option(
        '--over <carrier>',
        'with encdns://: who carries the boxes: an address of any resolver (repeatable), "network" (default) or "upstream:ID"',
      ).argParser(collect),
      new Option(
        '--keys <when>',
        'with encdns://: when this machine takes a new key pair (default: session)',
      ).choices(keyUses),
    ],
    examples: `  sotto upstream add google                                    from the catalogue
  sotto upstream add 192.0.2.1 --name dns.example --at 1       by address, the first to be asked
  sotto upstream add 192.0.2.1 --transport tdns --pin "$PIN"
  sotto upstream add 192.0.2.1 --name dns.example --ca company.pem
  sotto upstream add sdns://AwAAAAAAAAAACTE5Mi4wLjIuMQALZG5zLmV4YW1wbGU
  sotto upstream add "encdns://enc.example?key=$KEY"           boxes through the network's resolvers
  sotto upstream add "encdns://enc.example?key=$KEY" --over upstream:quad9`,
    more: `An upstream that carries the boxes of another one is asked for nothing else. A stamp of a transport that Sotto does not speak is refused with that transport's name. ${aboutOrder}`,
    method: 'upstream.add',
    params: ([server]: [string], options: AddOptions) => readAddition(server, options),
    say: (changed) => sayChanged(changed, 'is added'),
  });

  defineCall(command, line, {
    name: 'remove',
    arguments: [['<id>', 'which one']],
    description: 'Remove an upstream; the last one stays.',
    examples: '  sotto upstream remove quad9',
    more: aboutOrder,
    method: 'upstream.remove',
    params: ([id]: [string]) => ({ id }),
    say: (changed) => sayChanged(changed, 'is removed'),
  });

  defineCall(command, line, {
    name: 'move',
    arguments: [
      ['<id>', 'which one'],
      ['<place>', 'the place it has afterwards, from 1'],
    ],
    description: 'Change the order of preference.',
    examples: '  sotto upstream move google 1       asked first from now on',
    more: aboutOrder,
    method: 'upstream.move',
    params: ([id, place]: [string, string]) => ({ id, to: readPlace(place) }),
    say: (changed, [, place]) => sayChanged(changed, `is number ${place}`),
  });

  defineCommand(command, {
    name: 'catalogue',
    description: 'Resolvers that come with Sotto, with what each says of itself, and where.',
    options: [
      [
        '--measure',
        'ask each over a fresh, authenticated connection, and show how fast it answers',
      ],
    ],
    examples: `  sotto upstream catalogue
  sotto upstream catalogue --measure      which is near?
  sotto upstream catalogue --json | jq -r '.resolvers[] | [.id, .logging] | @tsv'`,
    more: 'What is measured is a query for the root, which says nothing about anyone.',
    run: (_given, options: CatalogueOptions) => showCatalogue(line, options),
  });
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

/** Addresses have colons or consist of digits and dots; names of the catalogue do neither. */
function readServer(server: string, options: AddOptions): NewUpstream {
  const id = options.as === undefined ? {} : { id: options.as };
  if (/^sdns:/i.test(server)) return { stamp: server, ...id };
  if (/^encdns:/i.test(server)) return { stamp: server, ...id, ...readCarrier(options) };
  if (!/^[\d.]+(:\d+)?$|:/.test(server)) return { resolver: server };
  return {
    ...id,
    transport: options.transport ?? 'dot',
    address: server,
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.pin === undefined ? {} : { pins: options.pin }),
    ...(options.ca === undefined ? {} : { ca: resolve(options.ca) }),
    ...(options.identity === undefined ? {} : { identity: options.identity }),
  };
}

function readCarrier({ over = [], keys }: AddOptions) {
  const [one] = over;
  return {
    ...(one === undefined ? {} : { over: over.length === 1 ? one : over }),
    ...(keys === undefined ? {} : { keys }),
  };
}

function readAddition(server: string, options: AddOptions): Params<'upstream.add'> {
  const upstream = readServer(server, options);
  const byAddress = 'address' in upstream;
  const misplaced = (['name', 'pin', 'ca', 'identity', 'transport'] as const).find(
    (option) => options[option] !== undefined,
  );
  if (!byAddress && misplaced !== undefined)
    throw badUsage(
      `--${misplaced} belongs to an address`,
      'the catalogue and stamps say it themselves',
    );
  const ofBoxes = (['over', 'keys'] as const).find((option) => options[option] !== undefined);
  if (ofBoxes !== undefined && !/^encdns:/i.test(server))
    throw badUsage(
      `--${ofBoxes} belongs to the address of an EncDNS server`,
      'write it as encdns://ZONE?key=KEY, or leave it out',
    );
  if ('resolver' in upstream && options.as !== undefined)
    throw badUsage(
      '--as belongs to an address or a stamp',
      'one of the catalogue has its own name',
    );
  return { upstream, ...(options.at !== undefined && { at: readPlace(options.at) }) };
}

function sayChanged({ upstream, notes }: UpstreamChanged, what: string): string[] {
  return [`${upstream.id} ${what}.`, ...notes].map(safe);
}

async function showCatalogue(line: CommandLine, options: CatalogueOptions): Promise<void> {
  const { terminal } = line;
  await withService(line, options, async (service) => {
    const found = unwrap(await service.call('catalogue.list', {}));
    if (options.measure !== true)
      return print(terminal, options, found, () => renderCatalogue(found.resolvers, Date.now()));
    const labels = new Map(found.resolvers.map(({ id, label }) => [id, label]));
    const failure = await followWork(
      service,
      'catalogue.measured',
      () => service.call('catalogue.measure', {}),
      (measured) =>
        print(terminal, options, measured, () =>
          sayMeasured(measured, labels.get(measured.resolver)),
        ),
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
}

function renderCatalogue(resolvers: readonly CatalogueEntry[], now: number): string[] {
  return resolvers.flatMap(({ id, label, operator, upstream, transport, ...said }) => [
    safe(
      `${id}  ${label}, ${operator}; ${transport}${upstream === null ? '' : `; in use as ${upstream}`}`,
    ),
    ...(said.retired === null
      ? []
      : [
          `    ${hasEnded(said.retired.on, now) ? 'ENDED' : 'ENDS'} ON ${safe(said.retired.on)}: ${safe(said.retired.notice)}`,
        ]),
    ...[said.filtering, said.validation, said.logging, said.source].flatMap((text) =>
      text === null ? [] : [`    ${safe(text)}`],
    ),
    `    Checked ${safe(said.checked.on)} against ${checkedAgainst[said.checked.by]}: ${said.checked.against.map(safe).join(', ')}.${said.inCleartext === 'every name' ? '' : ' In cleartext it answers for its own names alone: no rung leads there.'}`,
  ]);
}

const checkedAgainst: Record<CatalogueEntry['checked']['by'], string> = {
  operator: 'the operator’s own page',
  others: 'lists of others that agree',
};

function sayMeasured(measured: MeasuredResolver, label = measured.resolver): string {
  const { ok, responseMs, handshakeMs, error, address } = measured;
  if (!ok) return safe(`${label}: ${error?.message ?? 'no response'}`);
  const answered = `${safe(label)}: answers in ${sayLatency(responseMs ?? 0)}, connected in ${sayLatency(handshakeMs ?? 0)} (${safe(address ?? '')})`;
  return [answered, ...renderInVain(measured)].join('; ');
}
