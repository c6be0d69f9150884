/**
 * Where the service's files are. One person's: in XDG folders, or all under one folder with SOTTO_HOME. The machine's (its unit
 * sets `SOTTO_MODE=system`): in systemd's folders in /etc, /var/lib and /run. Part of the contract because a client finds the
 * service by its socket's path. (The one file here that needs Node.)
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface ServicePaths {
  settingsFile: string;
  /** read in the order of the files' names */
  policyFolder: string;
  stateFolder: string;
  /** on, off or paused: kept across restarts */
  switchFile: string;
  /** what settings and policies said when they were last in force */
  settingsMemoryFile: string;
  /** the profile that this machine is enrolled in */
  profileFile: string;
  /** client identities, one file each */
  identitiesFolder: string;
  /** servers that spoke authenticated TLS at some time */
  knownPrivateFile: string;
  /** there once the first run is over */
  setupFile: string;
  ledgerFile: string;
  /** packets sent in cleartext, counted by the engine; outlives a crash */
  countsFile: string;
  /** what the guardian wrote while the service was down */
  serviceDownFile: string;
  networksFile: string;
  /** what was decided about protection: the present file, with older ones beside it */
  auditFile: string;
  /** of this machine, for the codes of a help desk; only root puts it there */
  pauseKeyFile: string;
  /** wrong codes, counted */
  pauseAttemptsFile: string;
  queryLogFile: string;
  controlSocket: string;
}

const unitFiles = ['/usr/lib/systemd/system/sotto.service', '/lib/systemd/system/sotto.service'];

type Environment = Readonly<Record<string, string | undefined>>;

/** `home` is the folder given on the command line; it wins over SOTTO_HOME. */
export function servicePaths(environment: Environment, home?: string): ServicePaths {
  const portable = home ?? nonEmpty(environment['SOTTO_HOME']);
  if (portable !== undefined) {
    const folder = resolve(portable);
    return inFolders({ config: folder, policy: folder, state: folder, runtime: folder });
  }
  if (environment['SOTTO_MODE'] === 'system') return machinePaths(environment);
  const user = nonEmpty(environment['HOME']) ?? homedir();
  const state = join(
    absolute(environment['XDG_STATE_HOME']) ?? join(user, '.local', 'state'),
    'sotto',
  );
  const runtime = absolute(environment['XDG_RUNTIME_DIR']);
  return inFolders({
    config: join(absolute(environment['XDG_CONFIG_HOME']) ?? join(user, '.config'), 'sotto'),
    // A lock that the locked user can edit is worthless, so policies come from a folder that only root can write.
    policy: '/etc/sotto',
    state,
    runtime: runtime === undefined ? state : join(runtime, 'sotto'),
  });
}

/** The paths for a client: the machine's service where one runs, unless a folder is given; else the person's own. */
export function reachablePaths(
  environment: Environment,
  home?: string,
  isThere: (path: string) => boolean = existsSync,
): ServicePaths {
  const named = home ?? nonEmpty(environment['SOTTO_HOME']);
  const told = named !== undefined || environment['SOTTO_MODE'] === 'system';
  const installed = machinePaths({});
  return !told && isThere(installed.controlSocket) ? installed : servicePaths(environment, home);
}

/** The command that starts the service whose control socket this is: the machine's, where a package has installed it. */
export function commandToStart(
  controlSocket: string,
  environment: Environment = process.env,
  isThere: (path: string) => boolean = existsSync,
): string {
  const unnamed = servicePaths({ ...environment, SOTTO_HOME: undefined });
  const isNamed = ![machinePaths({}), unnamed].some(
    (paths) => paths.controlSocket === controlSocket,
  );
  return !isNamed && unitFiles.some(isThere) ? 'sudo systemctl start sotto' : 'sotto run';
}

/** systemd.exec(5) describes these variables for ConfigurationDirectory=, StateDirectory= and RuntimeDirectory=. */
function machinePaths(environment: Environment): ServicePaths {
  const config = absolute(environment['CONFIGURATION_DIRECTORY']) ?? '/etc/sotto';
  return inFolders({
    config,
    policy: config,
    state: absolute(environment['STATE_DIRECTORY']) ?? '/var/lib/sotto',
    runtime: absolute(environment['RUNTIME_DIRECTORY']) ?? '/run/sotto',
  });
}

function inFolders(folders: {
  config: string;
  policy: string;
  state: string;
  runtime: string;
}): ServicePaths {
  return {
    settingsFile: join(folders.config, 'settings.json'),
    policyFolder: join(folders.policy, 'policy.d'),
    stateFolder: folders.state,
    switchFile: join(folders.state, 'switch.json'),
    settingsMemoryFile: join(folders.state, 'settings-in-force.json'),
    profileFile: join(folders.state, 'profile.json'),
    identitiesFolder: join(folders.state, 'identities'),
    knownPrivateFile: join(folders.state, 'known-private.json'),
    setupFile: join(folders.state, 'setup.json'),
    ledgerFile: join(folders.state, 'ledger.sqlite'),
    countsFile: join(folders.state, 'leases.counts'),
    serviceDownFile: join(folders.state, 'service-down.journal'),
    networksFile: join(folders.state, 'networks.sqlite'),
    auditFile: join(folders.state, 'audit.jsonl'),
    pauseKeyFile: join(folders.policy, 'pause.key'),
    pauseAttemptsFile: join(folders.state, 'pause-attempts.json'),
    queryLogFile: join(folders.state, 'query-log.sqlite'),
    controlSocket: join(folders.runtime, 'control.sock'),
  };
}

/** The XDG specification says that relative paths are to be ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
