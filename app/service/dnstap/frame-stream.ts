/**
 * Frame Streams over a Unix socket, as its sender (https://farsightsec.github.io/fstrm/): READY, ACCEPT and START before the first
 * frame, STOP and FINISH after the last. What the reader sends is read up to a few hundred octets and no further.
 */
import { connect, type Socket } from 'node:net';
import { hearErrors } from '../portal/meeting.ts';

export interface FrameStream {
  /** Whether the frames were taken: a reader that falls behind gets none until it has caught up. Never waits. */
  send(frames: Uint8Array): boolean;
  /** Tells the reader that no more will come, and waits a moment for its word that it has all. */
  end(): Promise<void>;
}

interface Parts {
  path: string;
  /** Why this reader may have none; null: it may. */
  whyNot(socket: Socket): string | null;
  onOpen(): void;
  /** Once, also where it never opened. Null: it was ended here. */
  onEnd(why: string | null): void;
}

export const contentType = 'protobuf:dnstap.Dnstap';

const accept = 1;
const start = 2;
const stop = 3;
const ready = 4;
const finish = 5;
const contentTypeField = 1;

const mostWaiting = 1024 * 1024;
const longestControl = 512;
const handshakeMs = 5_000;
const endMs = 1_000;

export function openFrameStream({ path, whyNot, onOpen, onEnd }: Parts): FrameStream {
  const socket = hearErrors(connect(path));
  let why: string | null = 'the reader closed the connection';
  let isOpen = false;
  let came = Buffer.alloc(0);
  const closed = Promise.withResolvers<void>();
  const late = setTimeout(() => giveUp('it did not respond in time'), handshakeMs).unref();

  function giveUp(reason: string | null): void {
    why = reason;
    socket.destroy();
  }

  function onControl({ type, types }: Control): void {
    if (type === accept && !isOpen && why !== null) onAccept(types);
    else if (type === finish && why === null) giveUp(null);
    else giveUp(`it sent control frame ${type} out of turn`);
  }

  function onAccept(types: readonly string[]): void {
    if (types.length > 0 && !types.includes(contentType)) {
      giveUp('it does not take dnstap');
      return;
    }
    clearTimeout(late);
    isOpen = true;
    socket.write(control(start, contentType));
    onOpen();
  }

  socket.once('connect', () => {
    const reason = whyNot(socket);
    if (reason === null) socket.write(control(ready, contentType));
    else giveUp(reason);
  });
  socket.on('data', (octets) => {
    came = Buffer.concat([came, octets]);
    while (!socket.destroyed) {
      const read = readControl(came);
      if (read === 'malformed') return giveUp('it does not speak Frame Streams');
      if (read === 'incomplete') return;
      came = came.subarray(read.octets);
      onControl(read);
    }
  });
  socket.once('error', (error) => {
    why = error.message;
  });
  socket.once('close', () => {
    clearTimeout(late);
    isOpen = false;
    closed.resolve();
    onEnd(why);
  });

  return {
    send(frames) {
      if (!isOpen || socket.writableLength + frames.length > mostWaiting) return false;
      socket.write(frames);
      return true;
    },
    async end() {
      if (!isOpen) giveUp(null);
      else {
        isOpen = false;
        why = null;
        socket.write(control(stop));
        setTimeout(() => socket.destroy(), endMs).unref();
      }
      await closed.promise;
    },
  };
}

interface Control {
  type: number;
  types: string[];
  /** how many it took */
  octets: number;
}

/** An escape of four zeros, the length, the type, and fields with a type and a length each. */
export function control(type: number, content?: string): Buffer {
  const octets = content === undefined ? Buffer.alloc(0) : Buffer.from(content);
  const frame = Buffer.alloc(content === undefined ? 12 : 20);
  frame.writeUInt32BE(frame.length - 8 + octets.length, 4);
  frame.writeUInt32BE(type, 8);
  if (content === undefined) return frame;
  frame.writeUInt32BE(contentTypeField, 12);
  frame.writeUInt32BE(octets.length, 16);
  return Buffer.concat([frame, octets]);
}

/** Readers send control frames alone. */
export function readControl(octets: Buffer): Control | 'incomplete' | 'malformed' {
  if (octets.length < 8)
    return octets.every((octet, at) => at >= 4 || octet === 0) ? 'incomplete' : 'malformed';
  const length = octets.readUInt32BE(4);
  if (octets.readUInt32BE(0) !== 0 || length < 4 || length > longestControl) return 'malformed';
  if (octets.length < 8 + length) return 'incomplete';
  const types = readContentTypes(octets.subarray(12, 8 + length));
  return types === null ? 'malformed' : { type: octets.readUInt32BE(8), types, octets: 8 + length };
}

function readContentTypes(fields: Buffer): string[] | null {
  const types: string[] = [];
  for (let at = 0; at < fields.length; ) {
    if (fields.length - at < 8) return null;
    const end = at + 8 + fields.readUInt32BE(at + 4);
    if (fields.readUInt32BE(at) !== contentTypeField || end > fields.length) return null;
    types.push(fields.toString('latin1', at + 8, end));
    at = end;
  }
  return types;
}
