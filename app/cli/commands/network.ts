import { type Command, Option } from 'commander';
import type { ResultOf } from '../../contract/service-api.ts';
import { downgradePolicies } from '../../contract/settings/downgrade-policies.ts';
import type { NetworkParams } from '../../contract/system/network.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { badUsage } from '../failure.ts';
import { renderNetwork, renderNetworks } from '../render/network.ts';

interface NameOptions extends CommonOptions {
  network?: string;
  clear?: boolean;
}

interface SetOptions extends CommonOptions {
  network?: string;
  policy?: (typeof policyWords)[number];
}

const policyWords = [...downgradePolicies, 'default'] as const;

const whichNetwork = ['--network <network>', 'id or name; without it, the one you are on'] as const;

const aboutIdentity = `Sotto knows a network by its gateway's hardware address and its prefix. Both can be forged, so a remembered policy may
make things stricter at once, but looser only after an upstream has proved itself there since you came.`;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'list',
    description: 'The networks this machine has met, the last seen first.',
    examples: `  sotto network list
  sotto network list --json | jq -r '.networks[] | select(.current).id'`,
    method: 'network.list',
    say: renderNetworks,
  });

  defineCall(command, line, {
    name: 'show',
    arguments: [['[network]', 'id or name; without it, the one you are on']],
    description: 'What is known of a network: what tells it from others, links, resolvers.',
    examples: `  sotto network show          the one you are on
  sotto network show home`,
    more: aboutIdentity,
    method: 'network.show',
    params: ([network]: [string?]) => the(network),
    say: renderNetwork,
  });

  defineCall(command, line, {
    name: 'name',
    arguments: [['[name]', 'what you call it: up to 64 characters']],
    description: 'Give a network a name, so that you know it again.',
    options: [whichNetwork, ['--clear', 'take the name away']],
    examples: `  sotto network name home                          the one you are on
  sotto network name office --network 3f2a9c01b7de
  sotto network name --clear --network office`,
    method: 'network.set',
    params: ([given]: [string?], { network, clear }: NameOptions) => ({
      ...the(network),
      name: newName(given, clear),
    }),
    say: saySet,
  });

  defineCall(command, line, {
    name: 'set',
    description: 'Remember how strict to be on a network.',
    options: [
      whichNetwork,
      new Option(
        '--policy <policy>',
        'what to do where no private path works; default: as in the settings',
      )
        .choices(policyWords)
        .makeOptionMandatory(),
    ],
    examples: `  sotto network set --policy refuse                   nothing in cleartext here, ever
  sotto network set --policy default --network home   as the settings say`,
    more: aboutIdentity,
    method: 'network.set',
    params: (_given, { network, policy = 'default' }: SetOptions) => ({
      ...the(network),
      policy: policy === 'default' ? null : policy,
    }),
    say: saySet,
  });

  defineCall(command, line, {
    name: 'forget',
    arguments: [['<network>', 'id or name']],
    description: 'Forget a network, with its name and its policy.',
    examples: `  sotto network forget office
  sotto network forget 3f2a9c01b7de`,
    method: 'network.forget',
    params: ([network]: [string]) => ({ network }),
    say: (entry) => `${safe(entry.name ?? entry.id)} is forgotten.`,
  });

  teach(
    command,
    `  sotto network list                    which networks are known
  sotto network show                    the one you are on
  sotto network name home               call it home
  sotto network set --policy refuse     be strict here`,
    aboutIdentity,
  );
}

/** Without a name it is the network that the machine is on. */
function the(network: string | undefined): Pick<NetworkParams<'set'>, 'network'> {
  return network === undefined ? {} : { network };
}

function newName(given: string | undefined, clear = false): string | null {
  if ((given === undefined) !== clear)
    throw badUsage('a name, or --clear: one of them', 'for example: sotto network name home');
  return given ?? null;
}

function saySet({ name, id, label, policy }: ResultOf<'network.set'>): string {
  return `${safe(name ?? id)} (${safe(label)}): ${policy ?? 'as the settings say'}.`;
}
