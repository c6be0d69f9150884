import { type Command, Option } from 'commander';
import { downgradePolicies } from '../../contract/downgrade-policy.ts';
import type { NetworkParams } from '../../contract/network.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { badUsage, unwrap } from '../failure.ts';
import { renderNetwork, renderNetworks } from '../render-network.ts';

interface NameOptions extends CommonOptions {
  network?: string;
  clear?: boolean;
}

interface SetOptions extends CommonOptions {
  network?: string;
  policy?: (typeof policyWords)[number];
}

const policyWords = [...downgradePolicies, 'default'] as const;

const aboutIdentity = `Sotto knows a network by its gateway's hardware address and its prefix. Both can be forged, so a remembered policy may
make things stricter at once, but looser only after an upstream has proved itself there since you came.`;

export function define(command: Command, line: CommandLine): void {
  const list = command
    .command('list')
    .description('The networks this machine has met, the last seen first.');
  withJson(withHome(list)).action((options) => listNetworks(line, options));
  withExamples(
    list,
    `  sotto network list
  sotto network list --json | jq -r '.networks[] | select(.current).id'`,
  );

  const show = command
    .command('show')
    .argument('[network]', 'id or name; without it, the one you are on')
    .description('What is known of a network: what tells it from others, links, resolvers.');
  withJson(withHome(show)).action((network: string | undefined, options) =>
    showNetwork(line, network, options),
  );
  withExamples(
    show,
    `  sotto network show          the one you are on
  sotto network show home`,
    aboutIdentity,
  );

  const name = command
    .command('name')
    .argument('[name]', 'what you call it: up to 64 characters')
    .description('Give a network a name, so that you know it again.')
    .option('--network <network>', 'id or name; without it, the one you are on')
    .option('--clear', 'take the name away');
  withJson(withHome(name)).action((given: string | undefined, options: NameOptions) =>
    nameNetwork(line, given, options),
  );
  withExamples(
    name,
    `  sotto network name home                          the one you are on
  sotto network name office --network 3f2a9c01b7de
  sotto network name --clear --network office`,
  );

  const set = command
    .command('set')
    .description('Remember how strict to be on a network.')
    .option('--network <network>', 'id or name; without it, the one you are on')
    .addOption(
      new Option(
        '--policy <policy>',
        'what to do where no private path works; default: as in the settings',
      )
        .choices(policyWords)
        .makeOptionMandatory(),
    );
  withJson(withHome(set)).action((options: SetOptions) => setPolicy(line, options));
  withExamples(
    set,
    `  sotto network set --policy refuse                   nothing in clear here, ever
  sotto network set --policy default --network home   as the settings say`,
    aboutIdentity,
  );

  const forget = command
    .command('forget')
    .argument('<network>', 'id or name')
    .description('Forget a network, with its name and its policy.');
  withJson(withHome(forget)).action((network: string, options) =>
    forgetNetwork(line, network, options),
  );
  withExamples(
    forget,
    `  sotto network forget office
  sotto network forget 3f2a9c01b7de`,
  );

  withExamples(
    command,
    `  sotto network list                    which networks are known
  sotto network show                    the one you are on
  sotto network name home               call it home
  sotto network set --policy refuse     be strict here`,
    aboutIdentity,
  );
}

async function listNetworks(line: CommandLine, options: CommonOptions): Promise<void> {
  const found = await withService(line, options, async (service) =>
    unwrap(await service.call('network.list', {})),
  );
  if (options.json) line.terminal.out(safeJson(found));
  else for (const text of renderNetworks(found)) line.terminal.out(text);
}

async function showNetwork(
  line: CommandLine,
  network: string | undefined,
  options: CommonOptions,
): Promise<void> {
  const found = await withService(line, options, async (service) =>
    unwrap(await service.call('network.show', { ...(network !== undefined && { network }) })),
  );
  if (options.json) line.terminal.out(safeJson(found));
  else for (const text of renderNetwork(found)) line.terminal.out(text);
}

async function nameNetwork(
  line: CommandLine,
  given: string | undefined,
  { network, clear, ...options }: NameOptions,
): Promise<void> {
  if ((given === undefined) !== (clear === true))
    throw badUsage('a name, or --clear: one of them', 'for example: sotto network name home');
  await setNetwork(line, { network, name: given ?? null }, options);
}

async function setPolicy(
  line: CommandLine,
  { network, policy, ...options }: SetOptions,
): Promise<void> {
  const wanted = policy === undefined || policy === 'default' ? null : policy;
  await setNetwork(line, { network, policy: wanted }, options);
}

async function setNetwork(
  line: CommandLine,
  { network, ...change }: NetworkParams<'set'>,
  options: CommonOptions,
): Promise<void> {
  const params = { ...change, ...(network !== undefined && { network }) };
  const entry = await withService(line, options, async (service) =>
    unwrap(await service.call('network.set', params)),
  );
  if (options.json) line.terminal.out(safeJson(entry));
  else
    line.terminal.out(
      `${safe(entry.name ?? entry.id)} (${safe(entry.label)}): ${entry.policy ?? 'as the settings say'}.`,
    );
}

async function forgetNetwork(
  line: CommandLine,
  network: string,
  options: CommonOptions,
): Promise<void> {
  const entry = await withService(line, options, async (service) =>
    unwrap(await service.call('network.forget', { network })),
  );
  if (options.json) line.terminal.out(safeJson(entry));
  else line.terminal.out(`${safe(entry.name ?? entry.id)} is forgotten.`);
}
