/** A record as the contract shows it: words for numbers, milliseconds for microseconds. */

import { classMnemonic, rcodeMnemonic, typeMnemonic } from '../../contract/dns/dns-mnemonics.ts';
import {
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
} from '../../contract/engine-words.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { authenticDataFlag, type EventRecord, noExtendedError } from '../engine/boundary.ts';
import { presentAsker } from './present-asker.ts';

export function presentEvent(event: EventRecord): QueryEvent {
  return {
    id: event.id,
    at: milliseconds(event.at),
    name: event.name,
    type: typeMnemonic(event.type),
    class: classMnemonic(event.class),
    outcome: word(outcomes, event.outcome),
    cost: word(costs, event.cost),
    transport: word(transports, event.transport),
    clear: word(clearClasses, event.clear),
    rcode: rcodeMnemonic(event.rcode),
    extendedError: event.extendedError === noExtendedError ? null : event.extendedError,
    ms: milliseconds(event.total),
    stages: {
      policy: milliseconds(event.policy),
      cache: milliseconds(event.cache),
      connect: milliseconds(event.connect),
      wait: milliseconds(event.wait),
      response: milliseconds(event.response),
    },
    roundTrips: event.roundTrips,
    handshakeMs: milliseconds(event.handshake),
    sentOctets: event.sent,
    receivedOctets: event.received,
    queryOctets: event.queryOctets,
    responseOctets: event.responseOctets,
    answers: event.answers,
    authenticData: (event.flags & authenticDataFlag) !== 0,
    upstream: event.upstream,
    rule: event.rule,
    reason: event.reason,
    client: {
      protocol: word(clientProtocols, event.clientProtocol),
      address: event.clientAddress,
      port: event.clientPort,
    },
    asker: presentAsker(event),
  };
}

function milliseconds(microseconds: number): number {
  return microseconds / 1000;
}

function word<Word extends string>(words: readonly Word[], value: number): Word {
  const found = words[value];
  if (found === undefined) throw new RangeError(`${value} is beyond ${words.join(', ')}`);
  return found;
}
