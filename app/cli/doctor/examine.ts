/**
 * The whole examination, in the order in which one thing needs another: program → settings → service → addresses →
 * upstreams → clock → disk → the system around it. Without a service everything else is still looked at.
 */

import type { ServicePaths } from '../../contract/service-paths.ts';
import type { ServiceStatus } from '../../contract/service-status.ts';
// biome-ignore lint/style/noRestrictedImports: the moment against which the service checks its clock.
import { builtAt } from '../../service/version.ts';
import { type ConnectedService, connectToService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { unwrap } from '../failure.ts';
import { type SettingsInForce, settingsInForce } from '../settings-file.ts';
import { judgeClock } from './clock-check.ts';
import { checkDisk } from './disk-check.ts';
import type { Finding } from './finding.ts';
import { checkInstallation } from './installation-check.ts';
import { judgeLedgerFile, readLedgerFile } from './ledger-file-check.ts';
import { checkFreeAddresses, checkListening } from './listening-check.ts';
import { judgeReceiveBuffer, judgeSystemResolvers, readMachine } from './machine-check.ts';
import { judgeNetwork } from './network-check.ts';
import { judgeService, judgeServiceAbsence, judgeStatus } from './service-check.ts';
import { judgeSettings } from './settings-check.ts';
import {
  askWholePath,
  judgeUpstream,
  type TestedUpstream,
  testConfigured,
  testThroughService,
} from './upstream-check.ts';

interface Examined {
  paths: ServicePaths;
  settings: SettingsInForce;
  now: number;
}

export async function* examine(
  line: CommandLine,
  options: CommonOptions,
): AsyncGenerator<Finding, void> {
  const paths = pathsFor(line, options);
  yield* checkInstallation();
  const settings = settingsInForce(paths.settingsFile, paths.policyFolder);
  yield* judgeSettings(paths.settingsFile, settings);
  const examined = { paths, settings, now: line.now() };

  const connected = await connectToService(paths.controlSocket, 'sotto doctor');
  if (!connected.ok) {
    yield judgeServiceAbsence(connected.failure);
    yield* examineWithoutService(examined);
    return;
  }
  const service = connected.value;
  try {
    yield judgeService(service.hello);
    yield* examineService(service, examined);
  } finally {
    service.close();
  }
}

async function* examineService(
  service: ConnectedService,
  examined: Examined,
): AsyncGenerator<Finding, void> {
  const status = unwrap(await service.call('status.get', {}));
  yield* judgeStatus(status);
  yield judgeNetwork(unwrap(await service.call('network.list', {})));
  yield* await checkListening(status.listening);
  const tested = await testThroughService(service, status.upstreams);
  yield* tested.map((test) => judgeUpstream(test, examined.now));
  yield* await askWholePath(service, status.protection.state);
  yield* examineSurroundings(examined, tested, status.listening, status);
}

async function* examineWithoutService(examined: Examined): AsyncGenerator<Finding, void> {
  const listen = examined.settings.settings?.listen ?? [];
  yield* await checkFreeAddresses(listen);
  const tested = await testConfigured(examined.settings);
  yield* tested.map((test) => judgeUpstream(test, examined.now));
  yield* examineSurroundings(examined, tested, listen, null);
}

function* examineSurroundings(
  { paths, settings, now }: Examined,
  tested: readonly TestedUpstream[],
  listening: readonly string[],
  status: ServiceStatus | null,
): Generator<Finding, void> {
  yield judgeClock(tested, now, builtAt());
  yield* checkDisk(paths.stateFolder, status?.log ?? null, settings.settings?.queryLog ?? null);
  const { ledgerFile } = paths;
  yield judgeLedgerFile(ledgerFile, readLedgerFile(ledgerFile), status?.health ?? null);
  const machine = readMachine();
  yield judgeReceiveBuffer(machine, listening);
  yield judgeSystemResolvers(machine, listening);
}
