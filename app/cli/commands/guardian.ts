/** Turns this process into the guardian (native/guardian), which then starts the service as its child. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { journalVariable } from '../../contract/journal.ts';
import { type ServicePaths, servicePaths } from '../../contract/service-paths.ts';
import { helperSocket } from '../../contract/system/helper-protocol.ts';
import { builtProgram } from '../../installation.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { badUsage, CommandFailed } from '../failure.ts';
import { settingsInForce } from './settings-file.ts';

const guardian = builtProgram('sotto-guardian');
const helper = builtProgram('sotto-helper');

/**
 * Returns only on failure. Reasons for which the service would refuse to start are found before `begin`, and before anything is
 * bound.
 */
export async function becomeGuardian(
  environment: Readonly<Record<string, string | undefined>>,
  home: string | undefined,
  begin: () => void,
): Promise<void> {
  if (process.execve === undefined || !existsSync(guardian))
    throw badUsage(
      `there is no guardian here: ${guardian}`,
      'run "npm start" once, which builds it where it can run, or leave --guarded away',
    );
  const paths = servicePaths(environment, home);
  await refuseSecond(paths.controlSocket);
  const listen = addressesToHold(paths);
  const place = home === undefined ? [] : ['--home', resolve(home)];
  const journal = environment[journalVariable];
  begin();
  const [node, program] = [process.execPath, process.argv[1] ?? ''];
  process.execve(
    guardian,
    [
      guardian,
      ...listen.flatMap((address) => ['--listen', address]),
      '--state',
      paths.stateFolder,
      ...(journal === undefined ? [] : ['--log', journal]),
      ...givingBack(),
      '--',
      node,
      ...process.execArgv,
      program,
      'run',
      ...place,
    ],
    defined(environment),
  );
}

/**
 * Only a helper that listens can have changed the system's DNS. The guardian, which has no rights of its own, sends its request
 * through the command.
 */
function givingBack(): string[] {
  return existsSync(helper) && existsSync(helperSocket)
    ? ['--give-back', `exec ${shellQuoted(helper)} give-back`, '--helper', helperSocket]
    : [];
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A port that the system chooses can't be held in advance. */
function addressesToHold(paths: ServicePaths): string[] {
  const { settings, problems } = settingsInForce(paths);
  if (settings === null)
    throw new CommandFailed({
      code: 'settings-invalid',
      message: problems
        .map(({ file, path, line, reason }) =>
          [`${file}${line === null ? '' : `, line ${line}`}`, path, reason]
            .filter((part) => part !== '')
            .join(': '),
        )
        .join('\n'),
      remedy: 'correct the settings and start again',
      subject: paths.settingsFile,
    });
  return settings.listen.filter((address) => parseSocketAddress(address)?.port !== 0);
}

async function refuseSecond(controlSocket: string): Promise<void> {
  const other = await connectToService(controlSocket, 'sotto run --guarded');
  if (!other.ok) return;
  other.value.close();
  throw new CommandFailed({
    code: 'already-running',
    message: `Sotto is already running, pid ${other.value.hello.pid}`,
    remedy: 'use it, stop it first, or give this one another folder with SOTTO_HOME',
    subject: controlSocket,
  });
}

function defined(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const pairs = Object.entries(environment).filter((pair) => pair[1] !== undefined);
  return Object.fromEntries(pairs) as Record<string, string>;
}
