/** One question to somebody on the system bus, over a connection of its own. Nobody is started by it. */
import { createClient, type MessageBus } from 'dbus-native';

export interface BusQuestion {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature?: string;
  body?: unknown[];
}

/** Resolves to null where there is no bus, or nobody of that name on it, or it does not answer in time. */
export type AskBus = (question: BusQuestion, withinMs?: number) => Promise<unknown>;

const noAutoStart = 0x2;
const defaultWithinMs = 2000;

export const askSystemBus: AskBus = async (question, withinMs = defaultWithinMs) => {
  const busAddress =
    process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket';
  let bus: MessageBus;
  try {
    // "direct": the library's own Hello throws, past every handler, when the bus does not answer it in time.
    bus = createClient({ busAddress, timeout: withinMs, direct: true });
  } catch {
    return null;
  }
  const lost = new Promise<null>((resolve) => {
    bus.connection.on('error', () => resolve(null));
    bus.connection.on('close', () => resolve(null));
  });
  try {
    return await Promise.race([ask(bus, question), lost]);
  } catch {
    return null;
  } finally {
    bus.connection.end();
  }
};

async function ask(bus: MessageBus, question: BusQuestion): Promise<unknown> {
  bus.name = await bus.invokeDbus<string>({ member: 'Hello' });
  const answer: unknown = await bus.invoke({ ...question, flags: noAutoStart });
  return answer ?? true;
}

/** Whether somebody of this name is there and answers. */
export async function isOnBus(ask: AskBus, destination: string, path: string): Promise<boolean> {
  const peer = 'org.freedesktop.DBus.Peer';
  return (await ask({ destination, path, interface: peer, member: 'Ping' })) !== null;
}
