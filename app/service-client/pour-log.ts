/** All that fits, as text, over a connection that carries nothing else from then on (`log.pour`): the one way an export goes. */
import type { Socket } from 'node:net';
import { type Failure, fail, type Result, succeed } from '../contract/errors.ts';
import { isFailure } from '../contract/fitting/reply.ts';
import { goOctet, type Poured, PouredReader } from '../contract/query-log/poured-text.ts';
import type { Params } from '../contract/service-api.ts';
import type { ConnectedService } from './service-client.ts';

/** The connection, which now carries the parts of poured-text.ts. It is the caller's to end. */
export async function beginPouring(
  service: ConnectedService,
  params: Params<'log.pour'>,
): Promise<Result<Socket>> {
  const begun = await service.call('log.pour', params);
  if (!begun.ok) return begun;
  const socket = service.takeOver();
  // However the connection ends, the parts that were read show whether the text was complete.
  socket.on('error', () => {});
  socket.write(Uint8Array.of(goOctet));
  return succeed(socket);
}

/** The same over a connection that is opened for it, and closed where the service refuses. */
export async function openPouring(
  connect: () => Promise<Result<ConnectedService>>,
  params: Params<'log.pour'>,
): Promise<Result<Socket>> {
  const service = await connect();
  if (!service.ok) return service;
  const begun = await beginPouring(service.value, params);
  if (!begun.ok) service.value.close();
  return begun;
}

export type PouredPart =
  | Exclude<Poured, { kind: 'failure' }>
  | { kind: 'failure'; failure: Failure };

/** Its last part is the end or a failure. Leaving the loop ends the export. */
export async function* readPoured(socket: AsyncIterable<Uint8Array>): AsyncGenerator<PouredPart> {
  const reader = new PouredReader();
  try {
    for await (const chunk of socket) {
      for (const part of reader.read(chunk)) {
        yield checked(part);
        if (part.kind === 'end' || part.kind === 'failure') return;
      }
    }
  } catch {
    // However it ends early, it has ended early.
  }
  yield cutShort;
}

function checked(part: Poured): PouredPart {
  if (part.kind !== 'failure') return part;
  return isFailure(part.said) ? { kind: 'failure', failure: part.said } : cutShort;
}

const { failure: endedEarly } = fail(
  'connection-lost',
  'the export ended early: what was written is not all of it',
  'see whether the service runs, and try again',
);
const cutShort: PouredPart = { kind: 'failure', failure: endedEarly };
