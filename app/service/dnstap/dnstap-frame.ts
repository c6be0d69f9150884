/**
 * A record of the query log as a dnstap message (dnstap.proto): what a client asked Sotto, and Sotto's response. The record comes
 * here after the log's mode was applied, and of it nothing is told that names a user, a program or this machine. Pure.
 */

import { isIPv4 } from '../../contract/dns/socket-address.ts';
import {
  clearClasses,
  clientProtocols,
  outcomes,
  transports,
} from '../../contract/engine-words.ts';
import type { EventRecord } from '../engine/boundary.ts';
import { queryMessage, responseMessage } from './wire-message.ts';

/** Dnstap.Type and Message.Type. */
const isMessage = 1;
const clientQuery = 5;
const clientResponse = 6;

const dropped = outcomes.indexOf('dropped');

/** Data frames of Frame Streams, one after the other: each with its length before it. */
export function dnstapFrames(events: readonly EventRecord[]): Buffer {
  return Buffer.concat(
    events.flatMap((event) => {
      const message = dnstapMessage(event);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(message.length);
      return [length, message];
    }),
  );
}

export function dnstapMessage(event: EventRecord): Buffer {
  return Buffer.concat([
    octetsField(2, Buffer.from('sotto')),
    octetsField(3, Buffer.from(remark(event))),
    octetsField(14, message(event)),
    numberField(15, isMessage),
  ]);
}

/** What dnstap has no field for, in words of the query log. */
function remark({ outcome, transport, clear, upstream }: EventRecord): string {
  return [
    `outcome=${outcomes[outcome]}`,
    `transport=${transports[transport]}`,
    `clear=${clearClasses[clear]}`,
    ...(upstream === '' ? [] : [`upstream=${upstream}`]),
  ].join(' ');
}

function message(event: EventRecord): Buffer {
  const { at, total, outcome } = event;
  // A query that was dropped had no response.
  const isAnswered = outcome !== dropped;
  return Buffer.concat([
    numberField(1, isAnswered ? clientResponse : clientQuery),
    ...whoAsked(event),
    ...timeFields(8, at),
    octetsField(10, queryMessage(event)),
    ...(isAnswered ? [...timeFields(12, at + total), octetsField(14, responseMessage(event))] : []),
  ]);
}

/** "sotto query" asks over the control socket, and has no address. */
function whoAsked({ clientProtocol, clientAddress, clientPort }: EventRecord): Buffer[] {
  const protocol = clientProtocols[clientProtocol];
  const address = addressOctets(clientAddress);
  if (protocol === 'control' || address === null) return [];
  return [
    numberField(2, address.length === 4 ? 1 : 2),
    numberField(3, protocol === 'udp' ? 1 : 2),
    octetsField(4, address),
    numberField(6, clientPort),
  ];
}

/** Null: it is none. */
function addressOctets(text: string): Buffer | null {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return null;
  const [before = [], after] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = after === undefined ? [] : Array(8 - before.length - after.length).fill('0');
  const octets = Buffer.alloc(16);
  [...before, ...zeros, ...(after ?? [])].forEach((group, index) => {
    octets.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  });
  return octets;
}

/** Seconds, and in the next field nanoseconds. */
function timeFields(field: number, microseconds: number): Buffer[] {
  const nanoseconds = Buffer.alloc(4);
  nanoseconds.writeUInt32LE((microseconds % 1_000_000) * 1000);
  return [
    numberField(field, Math.floor(microseconds / 1_000_000)),
    Buffer.concat([varint((field + 1) * 8 + 5), nanoseconds]),
  ];
}

function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function octetsField(field: number, octets: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(octets.length), octets]);
}

/** Of Protocol Buffers: seven bits in each octet, the lowest first. */
function varint(value: number): Buffer {
  const octets: number[] = [];
  let left = value;
  do {
    const low = left % 128;
    left = Math.floor(left / 128);
    octets.push(left > 0 ? low + 128 : low);
  } while (left > 0);
  return Buffer.from(octets);
}
