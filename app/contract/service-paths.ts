/**
 * Where the service's files are, in user mode: XDG folders, or everything under one folder with SOTTO_HOME. Part of the
 * contract because a client finds the service by its socket's path. (The one file here that needs Node.)
 */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface ServicePaths {
  settingsFile: string;
  /** read in the order of the files' names */
  policyFolder: string;
  stateFolder: string;
  /** on, off or paused: kept across restarts */
  switchFile: string;
  ledgerFile: string;
  /** packets sent in clear, counted by the engine; outlives a crash */
  countsFile: string;
  /** what the guardian wrote while the service was down */
  serviceDownFile: string;
  networksFile: string;
  queryLogFile: string;
  controlSocket: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `home` is the folder given on the command line; it wins over SOTTO_HOME. */
export function servicePaths(environment: Environment, home?: string): ServicePaths {
  const portable = home ?? nonEmpty(environment['SOTTO_HOME']);
  if (portable !== undefined) {
    const folder = resolve(portable);
    return inFolders({ config: folder, policy: folder, state: folder, runtime: folder });
  }
  const user = nonEmpty(environment['HOME']) ?? homedir();
  const state = join(xdg(environment['XDG_STATE_HOME']) ?? join(user, '.local', 'state'), 'sotto');
  const runtime = xdg(environment['XDG_RUNTIME_DIR']);
  return inFolders({
    config: join(xdg(environment['XDG_CONFIG_HOME']) ?? join(user, '.config'), 'sotto'),
    // A lock that its subject can edit is none: policies come from a folder only root can write.
    policy: '/etc/sotto',
    state,
    runtime: runtime === undefined ? state : join(runtime, 'sotto'),
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
    ledgerFile: join(folders.state, 'ledger.sqlite'),
    countsFile: join(folders.state, 'leases.counts'),
    serviceDownFile: join(folders.state, 'service-down.journal'),
    networksFile: join(folders.state, 'networks.sqlite'),
    queryLogFile: join(folders.state, 'query-log.sqlite'),
    controlSocket: join(folders.runtime, 'control.sock'),
  };
}

/** The specification says that relative paths are to be ignored. */
function xdg(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
