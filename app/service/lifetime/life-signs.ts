/**
 * Tells the guardian, or systemd, that the service lives. The engine's own thread reports that queries are answered
 * (native/binding/src/inherited.rs); this is the control plane's part, and its silence alone ends nothing.
 */
import type * as binding from '../../../native/binding/index.d.ts';

/** Absent in an addon without them. */
export type GuardianAddon = Partial<
  Pick<typeof binding, 'guarded' | 'inheritedAddresses' | 'notifyGuardian'>
>;

/** Read once, by the engine; a child process must not take them for its own. */
const handedOver = [
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'LISTEN_PID',
  'NOTIFY_SOCKET',
  'WATCHDOG_USEC',
  'WATCHDOG_PID',
];

/** A sign must arrive in time also when one is late. */
const signsInTime = 4;

/** To be called once the engine exists, and before anything is started. */
export function forgetHandover(environment: NodeJS.ProcessEnv): void {
  for (const name of handedOver) delete environment[name];
}

/** The addresses that a guardian holds for us; null: there is no guardian. */
export function addressesOfGuardian(addon: GuardianAddon): string[] | null {
  const isGuarded = (addon.guarded?.() ?? null) !== null;
  return isGuarded ? (addon.inheritedAddresses?.() ?? []) : null;
}

/** Starts when queries are answered; the function returned reports that the service is about to end. */
export function startLifeSigns(addon: GuardianAddon): () => void {
  const guarded = addon.guarded?.() ?? null;
  if (guarded === null) return () => {};
  addon.notifyGuardian?.('READY=1\nX_SOTTO_CONTROL=1');
  const pause = guarded.watchdogMs === undefined ? null : guarded.watchdogMs / signsInTime;
  const ticking =
    pause === null ? null : setInterval(() => addon.notifyGuardian?.('X_SOTTO_CONTROL=1'), pause);
  ticking?.unref();
  return () => {
    if (ticking !== null) clearInterval(ticking);
    addon.notifyGuardian?.('STOPPING=1');
  };
}
