/** The contract's methods `system.*`, and the coverage map. */
import { type Failure, type Result, succeed } from '../../contract/errors.ts';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
import type { SystemDnsDetails } from '../../contract/system/system-dns.ts';
import { sharedRun } from '../base/shared-run.ts';
import type { SettingsEditor } from '../settings/settings-editor.ts';
import type { Coverage } from './coverage/coverage.ts';
import type { SystemDns } from './system-dns.ts';

type SystemDnsHandlers = Pick<
  ServiceHandlers,
  Extract<keyof ServiceHandlers, `system.${string}`> | 'coverage.map'
>;

interface SystemDnsHandlerParts {
  systemDns: SystemDns;
  coverage: Pick<Coverage, 'look' | 'map'>;
  editor: Pick<SettingsEditor, 'edit'>;
  now(): number;
}

export function createSystemDnsHandlers({
  systemDns,
  coverage,
  editor,
  now,
}: SystemDnsHandlerParts): SystemDnsHandlers {
  const set = (take: unknown, role: Role) =>
    editor.edit({ key: 'systemDns.take', value: () => succeed(take), role });

  /** Each look-up takes one of the process's few threads for as long as it waits. */
  const looking = sharedRun(
    () => coverage.look(),
    (error) => {
      throw error;
    },
  );

  /**
   * The setting is written first: it outlives this process, and after a failure, which is reported, the service tries again.
   * Where there is no mechanism it ends here.
   */
  async function want(take: boolean, role: Role): Promise<Result<SystemDnsDetails>> {
    const edited = await set(take, role);
    if (!edited.ok) return edited;
    await systemDns.insist();
    const details = await systemDns.details();
    const failure = whyNot(details, take);
    if (failure === null) return succeed(details);
    if (failure !== noWay)
      return { ok: false, failure: { ...failure, ...stillWanted(failure, take) } };
    const { previous } = edited.value;
    await set(previous.set ? previous.value : undefined, role);
    return { ok: false, failure };
  }

  return {
    'system.status': async () => succeed(await systemDns.details()),
    'system.take': (_params, { role }) => want(true, role),
    'system.giveBack': (_params, { role }) => want(false, role),
    'system.probe': async () => succeed({ at: now(), findings: await looking.run() }),
    'coverage.map': async (_params, { role, who }) => succeed(await coverage.map({ role, who })),
  };
}

function whyNot({ status }: SystemDnsDetails, take: boolean): Failure | null {
  if (status === null) return take ? noWay : null;
  if (status.trouble !== null && status.taken !== take) return status.trouble;
  return null;
}

function stillWanted({ remedy }: Failure, take: boolean): Pick<Failure, 'remedy'> {
  const change = take ? 'sotto system give-back' : 'sotto system take';
  return { remedy: `${remedy}; it stays wanted and is tried again, until "${change}"` };
}

const noWay: Failure = {
  code: 'no-mechanism',
  message: "this service knows no way of taking this system's DNS",
  remedy: 'point programs at the addresses of "sotto status"',
  subject: null,
};
