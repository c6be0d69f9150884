import { expect, test } from 'vitest';
import { servicePaths } from './service-paths.ts';

test('SOTTO_HOME holds everything', () => {
  expect(servicePaths({ SOTTO_HOME: '/tmp/s', XDG_STATE_HOME: '/x' })).toEqual({
    settingsFile: '/tmp/s/settings.json',
    policyFolder: '/tmp/s/policy.d',
    stateFolder: '/tmp/s',
    switchFile: '/tmp/s/switch.json',
    ledgerFile: '/tmp/s/ledger.sqlite',
    countsFile: '/tmp/s/leases.counts',
    serviceDownFile: '/tmp/s/service-down.journal',
    networksFile: '/tmp/s/networks.sqlite',
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
