/** UPower is made up, behind its name on a real dbus-daemon; the kernel's folder is one of ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, defineInterface, type MessageBus } from 'dbus-native';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PowerSupply, runsOnBattery, watchBattery } from './battery.ts';
import { type UPowerOnBus, watchUPower } from './upower-on-bus.ts';

const daemonFile = ['/usr/bin/dbus-daemon', '/bin/dbus-daemon'].find((file) => existsSync(file));

const mains = (online: boolean): PowerSupply => ({ type: 'Mains', online, status: '', scope: '' });
const battery = (status: string, scope = 'System'): PowerSupply => ({
  type: 'Battery',
  online: false,
  status,
  scope,
});

test.each([
  ['nothing is known', [], false],
  ['unplugged', [mains(false), battery('Discharging')], true],
  ['plugged in', [mains(true), battery('Charging')], false],
  ['plugged in, at its limit', [mains(true), battery('Discharging')], false],
  ['full and unplugged a moment ago', [mains(false), battery('Full')], false],
  ['the battery of a mouse', [battery('Discharging', 'Device')], false],
])('%s', (_, supplies, expected) => {
  expect(runsOnBattery(supplies)).toBe(expected);
});

describe('UPower on the bus', () => {
  let folder: string;
  let address: string;
  let upower: UPowerOnBus;
  let daemon: ChildProcess | null = null;
  const services: MessageBus[] = [];

  beforeEach(async (context) => {
    if (daemonFile === undefined) context.skip('no dbus-daemon: apt-get install dbus-daemon');
    folder = mkdtempSync(join(tmpdir(), 'sotto-power-'));
    address = `unix:path=${join(folder, 'bus')}`;
    await startDaemon();
    upower = watchUPower({ address, firstRetry: 20, longestRetry: 20 });
  });

  afterEach(async () => {
    upower?.close();
    for (const service of services.splice(0)) await service.close();
    if (daemon !== null) {
      const ended = new Promise((resolve) => daemon?.once('exit', resolve));
      daemon.kill();
      await ended;
      daemon = null;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('a plug that is pulled is told by signal; without UPower the kernel is asked', async () => {
    const supplies = join(folder, 'power_supply');
    mkdirSync(join(supplies, 'BAT0'), { recursive: true });
    writeFileSync(join(supplies, 'BAT0', 'type'), 'Battery\n');
    writeFileSync(join(supplies, 'BAT0', 'status'), 'Discharging\n');
    const machine = watchBattery('linux', upower, supplies);
    expect(machine.inUse()).toBe(true);

    const fake = await fakeUPower();
    await until(false);
    expect(machine.inUse()).toBe(false);
    fake.setOnBattery(true);
    await until(true);
    expect(machine.inUse()).toBe(true);
    fake.setOnBattery(false);
    await until(false);

    for (const service of services.splice(0)) await service.close();
    await until(null);
    expect(machine.inUse()).toBe(true);
  });

  function until(state: boolean | null): Promise<void> {
    if (upower.onBattery() === state) return Promise.resolve();
    return new Promise((resolve) => {
      const end = upower.onChange(() => {
        if (upower.onBattery() !== state) return;
        end();
        resolve();
      });
    });
  }

  async function startDaemon(): Promise<void> {
    const configuration = join(folder, 'bus.conf');
    writeFileSync(
      configuration,
      `<busconfig><listen>${address}</listen><auth>EXTERNAL</auth><policy context="default">
       <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
       </policy></busconfig>`,
    );
    const child = spawn(
      daemonFile ?? '',
      ['--nofork', '--nopidfile', '--print-address=1', `--config-file=${configuration}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    daemon = child;
    await new Promise((resolve) => child.stdout.once('data', resolve));
  }

  async function fakeUPower(): Promise<{ setOnBattery(value: boolean): void }> {
    const bus = createClient({ busAddress: address });
    bus.connection.on('error', () => {});
    services.push(bus);
    let onBattery = false;
    const service = defineInterface({
      name: 'org.freedesktop.UPower',
      properties: { OnBattery: { type: 'b', access: 'read', get: () => onBattery } },
    });
    await bus.export('/org/freedesktop/UPower', service);
    await bus.ownName('org.freedesktop.UPower');
    return {
      setOnBattery: (value) => {
        onBattery = value;
        bus.emitPropertiesChanged('/org/freedesktop/UPower', service.name, { OnBattery: value });
      },
    };
  }
});
