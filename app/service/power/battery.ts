/**
 * Whether this machine runs on its battery. UPower tells by signal; where it is not on the bus, Linux is looked at when
 * somebody asks. Elsewhere, and where nothing is known, it does not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BusAddon } from '../../bus-connection.ts';
import { type UPowerOnBus, watchUPower } from './upower-on-bus.ts';

/** Asking the firmware takes it a while. */
const lookEveryMs = 60_000;

export interface Battery {
  inUse(): boolean;
  /** Told where somebody tells: without UPower, ask. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export interface PowerSupply {
  /** "Mains", "Battery", "USB" … */
  type: string;
  /** of mains: whether it is plugged in */
  online: boolean;
  /** of a battery: "Discharging", "Charging", "Full" … */
  status: string;
  /** "Device" where it feeds a mouse, not the machine */
  scope: string;
}

export function openBattery(
  addon: BusAddon,
  platform: NodeJS.Platform = process.platform,
): Battery {
  return platform === 'linux' ? watchBattery(watchUPower(addon)) : noBattery;
}

export function watchBattery(
  upower: UPowerOnBus,
  folder = '/sys/class/power_supply',
  now: () => number = Date.now,
): Battery {
  let looked = { at: Number.NEGATIVE_INFINITY, found: false };
  function look(): boolean {
    if (now() - looked.at >= lookEveryMs)
      looked = { at: now(), found: runsOnBattery(readSupplies(folder)) };
    return looked.found;
  }
  return {
    inUse: () => upower.onBattery() ?? look(),
    onChange: (listener) => upower.onChange(listener),
    close: () => upower.close(),
  };
}

/** A battery that drains, and nothing that is plugged in. */
export function runsOnBattery(supplies: readonly PowerSupply[]): boolean {
  const ours = supplies.filter(({ scope }) => scope !== 'Device');
  const plugged = ours.some(({ type, online }) => type !== 'Battery' && online);
  return (
    !plugged && ours.some(({ type, status }) => type === 'Battery' && status === 'Discharging')
  );
}

const noBattery: Battery = {
  inUse: () => false,
  onChange: () => () => {},
  close: () => {},
};

function readSupplies(folder: string): PowerSupply[] {
  const read = (name: string, field: string) => {
    try {
      return readFileSync(join(folder, name, field), 'utf8').trim();
    } catch {
      return '';
    }
  };
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.map((name) => ({
    type: read(name, 'type'),
    online: read(name, 'online') === '1',
    status: read(name, 'status'),
    scope: read(name, 'scope'),
  }));
}
