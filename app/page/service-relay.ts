/** One connection to the service for each connection of the page: its notifications are lines of one long response. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { type MethodName, type NotificationName, serviceApi } from '../contract/service-api.ts';
import { openPouring } from '../service-client/pour-log.ts';
import type { ConnectedService } from '../service-client/service-client.ts';

export type Connect = () => Promise<Result<ConnectedService>>;

export interface Relay {
  /** Sends the hello in the first line, then every notification in a line of its own, until either side ends. */
  open(response: ServerResponse): Promise<void>;
  call(connection: string, method: string, params: unknown): Promise<Result<unknown>>;
  /** An export's parts (poured-text.ts) as the response, over a connection to the service of its own. */
  pour(connection: string, params: unknown, response: ServerResponse): Promise<Result<null>>;
  size(): number;
  close(): void;
}

/** A page that reads nothing for this many octets is let go, as the service does with its own clients. */
const patience = 16 * 1024 * 1024;

const notifications = Object.keys(serviceApi.notifications) as NotificationName[];

export function createRelay(connect: Connect): Relay {
  const open = new Map<string, ConnectedService>();

  return {
    async open(response) {
      const service = await connect();
      response.writeHead(200, {
        'content-type': 'application/x-ndjson',
        'cache-control': 'no-store',
      });
      if (!service.ok) {
        response.end(line({ connection: null, hello: service }));
        return;
      }
      const { value } = service;
      if (response.destroyed) return value.close();
      const id = randomBytes(9).toString('base64url');
      open.set(id, value);
      const tell = (message: unknown) => {
        response.write(line(message));
        if (response.writableLength > patience) response.destroy();
      };
      tell({ connection: id, hello: { ok: true, value: value.hello } });
      for (const name of notifications) value.on(name, (payload) => tell({ name, payload }));
      value.onClose(() => response.end());
      response.once('close', () => {
        open.delete(id);
        value.close();
      });
    },
    async call(connection, method, params) {
      if (!isOffered(method))
        return fail('unknown-method', `there is no method "${method}"`, 'load the page again');
      const service = open.get(connection);
      if (service === undefined) return ended;
      return await service.call(method, params as never);
    },
    async pour(connection, params, response) {
      if (!open.has(connection)) return ended;
      const begun = await openPouring(connect, params as never);
      if (!begun.ok) return begun;
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'cache-control': 'no-store',
      });
      // The end of either side ends the other; the parts show whether the text was complete.
      await pipeline(begun.value, response).catch(() => {});
      return succeed(null);
    },
    size: () => open.size,
    close() {
      for (const service of open.values()) service.close();
    },
  };
}

const ended = fail('connection-lost', 'this connection has ended', 'try again');

/** `hello` belongs to the connection itself, and `log.pour` would make it another. */
function isOffered(method: string): method is Exclude<MethodName, 'hello' | 'log.pour'> {
  const own = method === 'hello' || method === 'log.pour';
  return !own && Object.hasOwn(serviceApi.methods, method);
}

function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}
