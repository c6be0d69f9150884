/** UPower is made up, behind its name on a real dbus-daemon; the kernel's folder is one of ours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { busAddon, TestBus, whyNoBus } from '../network/bus-fixture.ts';
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
    upower = watchUPower(busAddon(), {
      address: daemon.address,
      firstRetry: 20,
      longestRetry: 20,
    });
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
    const machine = watchBattery(upower, supplies);
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

  test('what is no truth value says nothing', async () => {
    const fake = await fakeUPower();
    fake.setOnBattery(true);
    await until(true);
    fake.say('s', 'yes');
    await until(null);
    fake.setOnBattery(true);
    await until(true);
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

  async function fakeUPower(): Promise<{
    setOnBattery(value: boolean): void;
    say(type: string, value: unknown): void;
  }> {
    const bus = await daemon.connect();
    const path = '/org/freedesktop/UPower';
    const upowerName = 'org.freedesktop.UPower';
    let said: [string, unknown] = ['b', false];
    bus.serve(path, upowerName, { OnBattery: () => said });
    await bus.own(upowerName);
    function say(type: string, value: unknown): void {
      said = [type, value];
      bus.changed(path, upowerName);
    }
    return { say, setOnBattery: (value) => say('b', value) };
  }
});
