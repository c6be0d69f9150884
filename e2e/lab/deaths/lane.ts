/** All trials of one mechanism on a machine of its own. At the end the packets that its edge saw are compared with its ledger. */
import type { MechanismName } from '../../networks/computer.ts';
import { Lab } from '../../rig/lab.ts';
import type { Trial } from './plan.ts';
import { Stage } from './stage.ts';
import { type Attempt, attempt } from './trial.ts';

export interface Lane {
  mechanism: MechanismName;
  /** the command and the commit that made it, and how many deaths were ordered */
  made: { command: string; commit: string; ordered: number };
  attempts: Attempt[];
  /** cleartext packets with a name of the querying program that passed the edge, and how many of them did so between trials */
  packets: number;
  outside: number;
  /** from the ledger: packets counted, and the number of entries without a count */
  counted: number;
  uncounted: number;
  /** why the machine could not be made, or the comparison */
  broken: string | null;
}

export async function runLane(
  mechanism: MechanismName,
  trials: readonly Trial[],
  made: Pick<Lane['made'], 'command' | 'commit'>,
  isOver: () => boolean,
  tell: (attempt: Attempt) => void,
): Promise<Lane> {
  const lane: Lane = {
    made: { ...made, ordered: trials.length },
    ...{ mechanism, attempts: [], packets: 0, outside: 0, counted: 0, uncounted: 0 },
    broken: null,
  };
  const lab = new Lab();
  await lab.open();
  let stage: Stage | undefined;
  try {
    let [{ policy } = { policy: 'refuse' as const }] = trials;
    stage = await Stage.open(lab, mechanism, policy);
    for (const trial of trials) {
      if (isOver()) break;
      if (trial.policy !== policy) await stage.changePolicy(trial.policy);
      policy = trial.policy;
      const one = await attempt(stage, trial);
      lane.attempts.push(one);
      tell(one);
    }
    Object.assign(lane, await stage.ledger());
    const seen = await stage.seenInCleartext();
    lane.packets = seen.length;
    const within = (number: number) =>
      lane.attempts.some(({ asked: [after, last] }) => number > after && number <= last);
    lane.outside = seen.filter((number) => !within(number)).length;
  } catch (error) {
    lane.broken = `${(error as Error).message}\n${stage?.transcript.slice(-3000) ?? ''}`;
  } finally {
    await (stage?.close() ?? lab.close());
  }
  return lane;
}
