/**
 * The method `profile.simulate`: a version is judged as when it is taken, and what would hold is given to the engine beside what is in
 * force. The engine then decides about queries under both. Nothing is brought into force, kept, sent or counted.
 */
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import type {
  Params,
  ResultOf,
  Role,
  ServiceHandlers,
  ServiceSession,
} from '../../../contract/service-api.ts';
import { usuallyLogged } from '../../../contract/settings/simulation.ts';
import { inOrder } from '../../base/in-order.ts';
import { dependsOnAsker, type NumberOf } from '../../conditions/condition-here.ts';
import type { EngineDriver, Supposition } from '../../engine/engine-driver.ts';
import type { Protection } from '../../protection/protection.ts';
import type { QueryLog } from '../../query-log/query-log.ts';
import type { EffectiveSettings } from '../../settings/load-settings.ts';
import { type SettingsStore, sayProblem } from '../../settings/settings-store.ts';
import type { Problem } from '../../settings/settings-text.ts';
import { unjudged } from '../bring-into-force.ts';
import { type Enrolment, type EnrolmentStore, layerOf } from '../enrolment.ts';
import { readVersion, refuseVersion, type Signed, type WholeRead } from '../judge-version.ts';
import { nextEnrolment, noTerms, type Terms } from '../next-enrolment.ts';
import type { Profile } from '../profile-file.ts';
import { type Added, addGiven, addLogged, nothingAdded, obstacleOf } from './add-queries.ts';
import { composeSimulation } from './compose-simulation.ts';

export interface SimulationParts {
  enrolment: Pick<EnrolmentStore, 'current' | 'here'>;
  /** where the enrolment is kept, by which errors name the profile */
  file: string;
  store: Pick<SettingsStore, 'considerProfile' | 'withoutProfile'>;
  engine: Pick<EngineDriver, 'suppose'>;
  protection: Pick<Protection, 'suppose' | 'inForce' | 'position'>;
  queryLog: Pick<QueryLog, 'read'>;
  numberOf: NumberOf;
  now(): number;
}

export type SimulationHandlers = Pick<ServiceHandlers, 'profile.simulate'>;

type Wanted = Params<'profile.simulate'>;

/** A version that was judged, and the settings under it. */
interface Judged {
  profile: Profile;
  refusal: Result<never> | null;
  problems: string[];
  next: Enrolment;
  effective: EffectiveSettings;
}

export function createSimulationHandlers(parts: SimulationParts): SimulationHandlers {
  const { enrolment, file, store, engine, protection, queryLog, numberOf, now } = parts;
  /** One at a time, because each takes a processor for its time. */
  const inTurn = inOrder();

  function judge(wanted: Wanted, role: Role): Result<Judged> {
    const { profile: given, approved = given === undefined, grants = [] } = wanted;
    const present = enrolment.current();
    const octets = given ?? present?.profile;
    if (octets === undefined) return notEnrolled;
    const read = readVersion(file, octets);
    if (!read.ok) return read;
    const version = { profile: octets, signature: '' };
    const { profile, problems } = read.value;
    const before = present?.id === profile.id ? present : null;
    const layered = layer(read.value, version, before, {
      terms: before ?? { ...noTerms, key: '', grants, enrolledAt: now() },
      approved,
      role,
    });
    if (!layered.ok) return layered;
    const { contradicting, ...under } = layered.value;
    return succeed({
      ...{ profile, ...under },
      refusal: refuseVersion(read.value, present, version, now()),
      problems: [...problems, ...contradicting].map(sayProblem),
    });
  }

  /** What would hold under it, and what of it contradicts other settings. */
  function layer(
    read: WholeRead,
    version: Signed,
    before: Enrolment | null,
    { terms, approved, role }: { terms: Terms; approved: boolean; role: Role },
  ): Result<Pick<Judged, 'next' | 'effective'> & { contradicting: Problem[] }> {
    const without = store.withoutProfile();
    if (without === null) return unjudged();
    const next = nextEnrolment(read, version, terms, { before, approved, without, now: now() });
    const { effective, policyProblems, unopened } = store.considerProfile(
      layerOf(file, next, enrolment.here()),
      { unopened: role !== 'administer' },
    );
    if (effective === null) return unjudged();
    if (unopened.length > 0) return filesOfOthers;
    const contradicting = policyProblems.filter((one) => one.file === file);
    return succeed({ next, effective, contradicting });
  }

  async function add(
    supposed: Supposition,
    { queries, last = usuallyLogged }: Wanted,
    { effective }: Judged,
    hasGone: () => boolean,
  ): Promise<Result<Added>> {
    if (queries !== undefined) return succeed(await addGiven(supposed, queries));
    const { settings } = protection.inForce();
    const cannot = obstacleOf(settings.queryLog.mode);
    if (cannot !== null) return succeed({ ...nothingAdded, cannot });
    const withAskers = dependsOnAsker(settings) || dependsOnAsker(effective.settings);
    return await addLogged(supposed, { queryLog, last, withAskers, numberOf, hasGone });
  }

  async function simulate(
    wanted: Wanted,
    role: Role,
    hasGone: () => boolean,
  ): Promise<Result<ResultOf<'profile.simulate'>>> {
    const judged = judge(wanted, role);
    if (!judged.ok) return judged;
    const { profile, refusal, problems, next, effective } = judged.value;
    const supposed = await engine.suppose(protection.suppose(effective));
    if (!supposed.ok) return supposed;
    try {
      const added = await add(supposed.value, wanted, judged.value, hasGone);
      if (!added.ok) return added;
      const { id, serial, issuer, name } = profile;
      return succeed({
        profile: { id, serial, issuer, name },
        refusal: refusal === null || refusal.ok ? null : refusal.failure,
        problems,
        waiting: next.waiting,
        kept: next.kept,
        simulation: composeSimulation(supposed.value.result(), {
          ...added.value,
          protection: protection.position().protection,
        }),
      });
    } finally {
      supposed.value.end();
    }
  }

  return {
    'profile.simulate': async (wanted, session) => {
      if (wanted.queries === undefined && session.role !== 'administer') return namesOfOthers;
      return await asWork(session, (hasGone) =>
        inTurn(() => simulate(wanted, session.role, hasGone)),
      );
    },
  };
}

/** It counts as work that the client has begun, and ends with the client's connection. */
async function asWork<Value>(
  session: ServiceSession,
  run: (hasGone: () => boolean) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const work = session.beginWork();
  if (!work.ok) return work;
  let gone = false;
  const callOff = session.onClose(() => {
    gone = true;
  });
  try {
    return await run(() => gone);
  } finally {
    callOff();
    work.value.end();
  }
}

const notEnrolled = fail(
  'no-profile',
  'this machine is enrolled in no profile',
  'give the file of a profile',
);

const filesOfOthers = fail(
  'forbidden',
  'only an administrator may simulate a version that names files of certificates which nothing in force names',
  'ask an administrator',
);

const namesOfOthers = fail(
  'forbidden',
  'only an administrator may simulate with the query log, because the counts would tell who asked for which names',
  'ask an administrator, or give queries of your own',
);
