/** UPower is made up, behind its name on a real dbus-daemon; the kernel's folder is one of ours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineInterface } from 'dbus-native';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestBus, whyNoBus } from '../network/bus-fixture.ts';
import { type PowerSupply, runsOnBattery, watchBattery } from './battery.ts';
import { type UPowerOnBus, watchUPower } from './upower-on-bus.ts';

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
  let daemon: TestBus;
  let upower: UPowerOnBus;

  beforeEach(async (context) => {
    if (whyNoBus !== null) context.skip(whyNoBus);
    daemon = new TestBus();
    await daemon.start();
    upower = watchUPower({ address: daemon.address, firstRetry: 20, longestRetry: 20 });
  });

  afterEach(async () => {
    upower?.close();
    await daemon?.remove();
  });

  test('a plug that is pulled is told by signal; without UPower the kernel is asked', async () => {
    const supplies = join(daemon.folder, 'power_supply');
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

    await daemon.endServices();
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

  async function fakeUPower(): Promise<{ setOnBattery(value: boolean): void }> {
    const bus = daemon.connect();
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
