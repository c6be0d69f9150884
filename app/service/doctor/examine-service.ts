/**
 * The part of the examination that needs a running service: its status, its addresses, its upstreams, the clock, the disk and
 * the system around it. The command line calls the service over the socket; the service calls itself.
 */
import type { ServicePaths } from '../../contract/service-paths.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { fixFor } from '../system-dns/coverage/fix-for.ts';
import type { Caller } from './caller.ts';
import { judgeClock } from './clock-check.ts';
import { checkDisk } from './disk-check.ts';
import { curable, type Finding, fail } from './finding.ts';
import { judgeLedgerFile, readLedgerFile } from './ledger-file-check.ts';
import { type AskAddress, checkListening } from './listening-check.ts';
import { judgeReceiveBuffer, judgeSystemResolvers, readMachine } from './machine-check.ts';
import { judgeNetwork } from './network-check.ts';
import { checkRebinding } from './rebinding-check.ts';
import { judgeStatus } from './service-check.ts';
import {
  askWholePath,
  judgeUpstream,
  type TestedUpstream,
  testThroughService,
} from './upstream-check.ts';

export interface Surroundings {
  paths: Pick<ServicePaths, 'stateFolder' | 'ledgerFile'>;
  /** null: they can't be used */
  queryLog: Settings['queryLog'] | null;
  now: number;
  /** a moment that has certainly passed */
  built: number;
}

export async function* examineService(
  service: Caller,
  surroundings: Surroundings,
  ask: AskAddress,
): AsyncGenerator<Finding, void> {
  const got = await service.call('status.get', {});
  if (!got.ok) {
    yield fail('service', `${got.failure.message}.`, got.failure.remedy);
    return;
  }
  const status = got.value;
  yield* judgeStatus(status);
  const networks = await service.call('network.list', {});
  if (networks.ok) yield judgeNetwork(networks.value);
  const covered = await service.call('system.probe', {});
  if (covered.ok) yield* covered.value.findings.map(withFix);
  yield* await checkListening(status.listening, ask);
  const tested = await testThroughService(service, status.upstreams);
  yield* tested.map((test) => judgeUpstream(test, surroundings.now));
  yield* await askWholePath(service, status.protection.state);
  yield* await checkRebinding(service, surroundings.now);
  yield* examineSurroundings(surroundings, tested, status.listening, status);
}

/** What goes around Sotto, with the change to that program's settings that ends it. */
function withFix(finding: Finding): Finding {
  const fix = fixFor(finding.says.text[0]?.code ?? '', finding.subject);
  const isOpen = finding.verdict !== 'ok' && finding.action === null;
  return fix !== null && isOpen ? curable(finding, 'coverage.fix', { fix }) : finding;
}

/** `status`: null where no service runs. */
export function* examineSurroundings(
  { paths, queryLog, now, built }: Surroundings,
  tested: readonly TestedUpstream[],
  listening: readonly string[],
  status: ServiceStatus | null,
): Generator<Finding, void> {
  yield judgeClock(tested, now, built);
  yield* checkDisk(paths.stateFolder, status?.log ?? null, queryLog);
  const { ledgerFile } = paths;
  yield judgeLedgerFile(ledgerFile, readLedgerFile(ledgerFile), status?.health ?? null);
  const machine = readMachine();
  yield judgeReceiveBuffer(machine, listening);
  // The probe above knows more, where there is a service to make it.
  if (status === null) yield judgeSystemResolvers(machine, listening);
}
