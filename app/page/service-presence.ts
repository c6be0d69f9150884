/** Whether there is a service: it waits while one starts, and reports it as gone once it stays away. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectedService } from '../service-client/service-client.ts';
import type { Connect } from './service-relay.ts';

const tryEveryMs = 250;

/** A guardian starts it again within two seconds, on a busy machine within a few more. */
const patienceMs = 15_000;

/** Resolves when it answers; to false when it does not within `withinMs`. */
export async function untilRunning(connect: Connect, withinMs: number): Promise<boolean> {
  const service = await reach(connect, withinMs);
  service?.close();
  return service !== null;
}

/** Resolves when the service has ended and was not started again. */
export async function untilGone(connect: Connect): Promise<void> {
  for (;;) {
    const service = await reach(connect, patienceMs);
    if (service === null) return;
    await new Promise<void>((resolve) => service.onClose(resolve));
  }
}

async function reach(connect: Connect, withinMs: number): Promise<ConnectedService | null> {
  const deadline = Date.now() + withinMs;
  do {
    const service = await connect();
    if (service.ok) return service.value;
    await pause(tryEveryMs);
  } while (Date.now() < deadline);
  return null;
}
