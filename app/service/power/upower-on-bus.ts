/** What UPower says on the system bus, kept current by its signals. */
import type { BusAddon, BusConnection } from '../../bus-connection.ts';
import { Listeners } from '../base/listeners.ts';
import {
  type BusOptions,
  comesOrGoes,
  followSystemBus,
  properties,
  readProperty,
} from '../network/followed-bus.ts';

export interface UPowerOnBus {
  /** null: nobody tells */
  onBattery(): boolean | null;
  onChange(listener: () => void): () => void;
  close(): void;
}

const upower = 'org.freedesktop.UPower';
const path = '/org/freedesktop/UPower';

const rules = [
  comesOrGoes(upower),
  `type='signal',sender='${upower}',interface='${properties}',member='PropertiesChanged',path='${path}'`,
];

export function watchUPower(addon: BusAddon, options: BusOptions = {}): UPowerOnBus {
  const changed = new Listeners<void>();
  let known: boolean | null = null;
  /** counts looks: an older one that comes later says nothing */
  let looks = 0;
  const bus = followSystemBus(addon, options, { rules, look, lost: () => tell(null) });

  function look(client: BusConnection): void {
    const number = ++looks;
    readProperty(client, upower, path, upower, 'OnBattery').then((found) => {
      if (client === bus.current() && number === looks)
        tell(typeof found === 'boolean' ? found : null);
    });
  }

  function tell(found: boolean | null): void {
    if (found === known) return;
    known = found;
    changed.tell();
  }

  return {
    onBattery: () => known,
    onChange: (listener) => changed.add(listener),
    close: () => {
      changed.clear();
      bus.close();
    },
  };
}
