/** One call on the system bus, over a connection of its own. It starts no service. */
import {
  type BusAddon,
  type BusCall,
  type BusConnection,
  joinBus,
  noSignals,
  systemBusAddress,
} from '../../bus-connection.ts';

export type BusQuestion = Omit<BusCall, 'mayStart'>;

/** Resolves to null where there is no bus, or no owner of that name, or no answer in time. */
export type AskBus = (question: BusQuestion, withinMs?: number) => Promise<unknown>;

const defaultWithinMs = 2000;

export function askSystemBus(addon: BusAddon, address = systemBusAddress()): AskBus {
  return async (question, withinMs = defaultWithinMs) => {
    let bus: BusConnection | null = null;
    try {
      bus = await joinBus(addon, address, withinMs, noSignals);
      const [answer] = await bus.call(question, withinMs);
      return answer ?? true;
    } catch {
      return null;
    } finally {
      bus?.close();
    }
  };
}

/** Whether this name has an owner that answers. */
export async function isOnBus(ask: AskBus, destination: string, path: string): Promise<boolean> {
  const peer = 'org.freedesktop.DBus.Peer';
  return (await ask({ destination, path, interface: peer, member: 'Ping' })) !== null;
}
