/** Which column holds which field of a record; the name is the one that lives in a table of its own. */
import type { EventRecord } from './event-record.ts';

export const eventColumns = {
  id: 'id',
  at: 'at',
  type: 'type',
  class: 'class',
  outcome: 'outcome',
  cost: 'cost',
  transport: 'transport',
  clientProtocol: 'client_protocol',
  clear: 'clear',
  rcode: 'rcode',
  extendedError: 'extended_error',
  total: 'total',
  policy: 'policy',
  cache: 'cache',
  connect: 'connect',
  wait: 'wait',
  reply: 'reply',
  questionOctets: 'question_octets',
  answerOctets: 'answer_octets',
  clientPort: 'client_port',
  roundTrips: 'round_trips',
  flags: 'flags',
  upstream: 'upstream',
  rule: 'rule',
  reason: 'reason',
  clientAddress: 'client_address',
  sent: 'sent',
  received: 'received',
  handshake: 'handshake',
} as const satisfies Record<Exclude<keyof EventRecord, 'name'>, string>;

/** Takes a record and `name_id` as named parameters. */
export const insertEvent = `INSERT INTO events (name_id, ${Object.values(eventColumns).join(', ')})
  VALUES (?, ${Object.keys(eventColumns)
    .map((field) => `@${field}`)
    .join(', ')})`;

const fields = Object.entries(eventColumns)
  .map(([field, column]) => `${column} AS "${field}"`)
  .join(', ');

/** Rows come back with the fields of `EventRecord`. */
export const selectEvents = `SELECT ${fields}, (SELECT name FROM names WHERE names.id = events.name_id) AS name FROM events`;

/** The same with `nameId` for the name: looking each up takes as long as reading half of the row. */
export const selectNumberedEvents = `SELECT ${fields}, name_id AS nameId FROM events`;
