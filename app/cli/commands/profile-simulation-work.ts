/** Has the service decide about queries under a version, in as many requests as they need. */
import type { Params, ResultOf } from '../../contract/service-api.ts';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import {
  type GivenQuery,
  joinSimulations,
  mostGiven,
  mostLogged,
} from '../../contract/settings/simulation.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';
import { saySimulated } from '../render/simulation.ts';
import { print } from '../terminal/print.ts';
import { aboutQueries, readQueries } from './simulated-queries.ts';

export interface SimulateOptions extends CommonOptions {
  approved?: boolean;
  allow?: Grant[];
  last?: string;
  queries?: string;
}

type Wanted = Params<'profile.simulate'>;
type Simulated = ResultOf<'profile.simulate'>;

export async function simulate(
  line: CommandLine,
  profile: Pick<Wanted, 'profile'>,
  options: SimulateOptions,
): Promise<void> {
  const { approved, allow, last, queries } = options;
  const wanted: Wanted = {
    ...profile,
    ...(approved === true ? { approved } : {}),
    ...(allow === undefined ? {} : { grants: allow }),
  };
  const given = queries === undefined ? null : readQueries(queries);
  const logged = last === undefined ? wanted : { ...wanted, last: readLast(last) };
  const simulated = await withService(line, options, (service) =>
    given === null ? simulateLogged(service, logged) : simulateGiven(service, wanted, given, line),
  );
  print(line.terminal, options, simulated, () => saySimulated(simulated));
}

async function simulateLogged(service: ConnectedService, wanted: Wanted): Promise<Simulated> {
  const reply = await service.call('profile.simulate', wanted);
  if (!reply.ok && reply.failure.code === 'forbidden')
    throw new CommandFailed({
      ...reply.failure,
      remedy: 'run the same with sudo; or give queries of your own: --queries FILE',
    });
  return unwrap(reply);
}

async function simulateGiven(
  service: ConnectedService,
  wanted: Wanted,
  given: readonly GivenQuery[],
  { terminal }: CommandLine,
): Promise<Simulated> {
  let sum: Simulated | null = null;
  for (let begin = 0; begin < given.length; begin += mostGiven) {
    const queries = given.slice(begin, begin + mostGiven);
    const part = unwrap(await service.call('profile.simulate', { ...wanted, queries }));
    sum = {
      ...part,
      simulation: sum === null ? part.simulation : joinSimulations(sum.simulation, part.simulation),
    };
    if (terminal.interactive && given.length > mostGiven)
      terminal.error(`${Math.min(begin + mostGiven, given.length)} of ${given.length} names`);
  }
  if (sum === null) throw badUsage('there are no queries in it', aboutQueries);
  return sum;
}

function readLast(text: string): number {
  const last = Number(text);
  if (/^[1-9]\d{0,6}$/.test(text) && last <= mostLogged) return last;
  throw badUsage(
    `"${text}" is not a number of queries`,
    `give --last a number from 1 to ${mostLogged}`,
  );
}
