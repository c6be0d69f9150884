import { expect, test } from 'vitest';
import { commandToStart, reachablePaths, servicePaths } from './service-paths.ts';

test('SOTTO_HOME holds everything', () => {
  expect(servicePaths({ SOTTO_HOME: '/tmp/s', XDG_STATE_HOME: '/x' })).toEqual({
    settingsFile: '/tmp/s/settings.json',
    policyFolder: '/tmp/s/policy.d',
    stateFolder: '/tmp/s',
    switchFile: '/tmp/s/switch.json',
    settingsMemoryFile: '/tmp/s/settings-in-force.json',
    profileFile: '/tmp/s/profile.json',
    identitiesFolder: '/tmp/s/identities',
    knownPrivateFile: '/tmp/s/known-private.json',
    setupFile: '/tmp/s/setup.json',
    ledgerFile: '/tmp/s/ledger.sqlite',
    countsFile: '/tmp/s/leases.counts',
    serviceDownFile: '/tmp/s/service-down.journal',
    networksFile: '/tmp/s/networks.sqlite',
    auditFile: '/tmp/s/audit.jsonl',
    pauseKeyFile: '/tmp/s/pause.key',
    pauseAttemptsFile: '/tmp/s/pause-attempts.json',
    queryLogFile: '/tmp/s/query-log.sqlite',
    controlSocket: '/tmp/s/control.sock',
  });
});

test('a folder from the command line wins', () => {
  expect(servicePaths({ SOTTO_HOME: '/tmp/s' }, '/tmp/t').settingsFile).toBe(
    '/tmp/t/settings.json',
  );
});

test('XDG folders, and policies where only root can write', () => {
  const paths = servicePaths({
    HOME: '/home/u',
    XDG_CONFIG_HOME: '/c',
    XDG_STATE_HOME: '/s',
    XDG_RUNTIME_DIR: '/r',
  });
  expect(paths.settingsFile).toBe('/c/sotto/settings.json');
  expect(paths.ledgerFile).toBe('/s/sotto/ledger.sqlite');
  expect(paths.controlSocket).toBe('/r/sotto/control.sock');
  expect(paths.policyFolder).toBe('/etc/sotto/policy.d');
});

test('without XDG variables their defaults hold; without a runtime folder the socket is in the state folder', () => {
  const paths = servicePaths({ HOME: '/home/u', XDG_CONFIG_HOME: 'relative' });
  expect(paths.settingsFile).toBe('/home/u/.config/sotto/settings.json');
  expect(paths.controlSocket).toBe('/home/u/.local/state/sotto/control.sock');
});

test("the machine's service has its folders where systemd made them", () => {
  const paths = servicePaths({ SOTTO_MODE: 'system', XDG_CONFIG_HOME: '/c', HOME: '/root' });
  expect(paths.settingsFile).toBe('/etc/sotto/settings.json');
  expect(paths.policyFolder).toBe('/etc/sotto/policy.d');
  expect(paths.ledgerFile).toBe('/var/lib/sotto/ledger.sqlite');
  expect(paths.controlSocket).toBe('/run/sotto/control.sock');
  const elsewhere = { CONFIGURATION_DIRECTORY: '/t/etc', STATE_DIRECTORY: '/t/state' };
  const moved = servicePaths({ SOTTO_MODE: 'system', ...elsewhere, RUNTIME_DIRECTORY: 'x:y' });
  expect(moved.settingsFile).toBe('/t/etc/settings.json');
  expect(moved.stateFolder).toBe('/t/state');
  expect(moved.controlSocket).toBe('/run/sotto/control.sock');
});

test("a client finds the machine's service first, unless a folder is named", () => {
  const own = { HOME: '/home/u', XDG_RUNTIME_DIR: '/r' };
  const socket = (environment: Record<string, string>, home: string | undefined, there: boolean) =>
    reachablePaths(environment, home, () => there).controlSocket;
  expect(socket(own, undefined, true)).toBe('/run/sotto/control.sock');
  expect(socket(own, undefined, false)).toBe('/r/sotto/control.sock');
  expect(socket({ ...own, SOTTO_HOME: '/s' }, undefined, true)).toBe('/s/control.sock');
  expect(socket(own, '/t', true)).toBe('/t/control.sock');
});

test('what is installed is started by systemd, what somebody keeps for themselves is not', () => {
  const own = { HOME: '/home/u', XDG_RUNTIME_DIR: '/r' };
  const here = { ...own, SOTTO_HOME: '/s' };
  const isInstalled = (path: string) => path === '/lib/systemd/system/sotto.service';
  const installed = 'sudo systemctl start sotto';
  expect(commandToStart('/run/sotto/control.sock', own, isInstalled)).toBe(installed);
  expect(commandToStart('/r/sotto/control.sock', own, isInstalled)).toBe(installed);
  expect(commandToStart('/r/sotto/control.sock', own, () => false)).toBe('sotto run');
  expect(commandToStart('/s/control.sock', here, isInstalled)).toBe('sotto run');
});
