/**
 * The whole examination, in the order of dependence: program → settings → service → addresses → upstreams → clock → disk → the
 * system around it. Without a service everything else is still examined.
 */

import type { Finding } from '../../contract/status/finding.ts';
// biome-ignore lint/style/noRestrictedImports: the moment against which the service checks its clock.
import { builtAt } from '../../service/base/version.ts';
import { examineService, examineSurroundings } from '../../service/doctor/examine-service.ts';
import { checkFreeAddresses } from '../../service/doctor/listening-check.ts';
import { judgeService, judgeServiceAbsence } from '../../service/doctor/service-check.ts';
import { judgeUpstream } from '../../service/doctor/upstream-check.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { settingsInForce } from '../commands/settings-file.ts';
import { askAddress } from './ask-address.ts';
import { testConfigured } from './configured-upstreams.ts';
import { checkInstallation } from './installation-check.ts';
import { judgeSettings } from './settings-check.ts';

export async function* examine(
  line: CommandLine,
  options: CommonOptions,
): AsyncGenerator<Finding, void> {
  const paths = pathsFor(line, options);
  yield* checkInstallation();
  const settings = settingsInForce(paths);
  const connected = await connectToService(paths.controlSocket, 'sotto doctor');
  // A running service reports itself which policies hold.
  const notes = connected.ok ? [] : settings.notes;
  yield* judgeSettings(paths.settingsFile, { ...settings, notes });
  const queryLog = settings.settings?.queryLog ?? null;
  const surroundings = { paths, queryLog, now: line.now(), built: builtAt() };

  if (!connected.ok) {
    yield judgeServiceAbsence(connected.failure);
    const listen = settings.settings?.listen ?? [];
    yield* await checkFreeAddresses(listen);
    const tested = await testConfigured(settings);
    yield* tested.map((test) => judgeUpstream(test, surroundings.now));
    yield* examineSurroundings(surroundings, tested, listen, null);
    return;
  }
  const service = connected.value;
  try {
    yield judgeService(service.hello);
    for await (const finding of examineService(service, surroundings, askAddress))
      if (finding.check !== 'settings-invalid' || settings.problems.length === 0) yield finding;
  } finally {
    service.close();
  }
}
