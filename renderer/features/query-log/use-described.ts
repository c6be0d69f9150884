/** The facts about a query, as sentences; each has the filter that finds others like it, where there is one. */

import { askerName } from '../../../app/contract/query-log/asker-name.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { termOf, termOfProgram } from './row-terms.ts';

export interface Fact {
  label: string;
  words: string;
  /** in English; a server's own words stay as they are */
  reason?: string;
  saidBy?: 'engine' | 'server';
  /** a term of the filter language */
  term: string | null;
}

export function useDescribed(event: QueryEvent): Fact[] {
  return describeEvent(event, useWords());
}

export function describeEvent(event: QueryEvent, { text, formats }: Words): Fact[] {
  const { detail } = text.queryLog;
  const facts: (Fact | null)[] = [
    {
      label: detail.what,
      words: text.queryLog.outcomesLong[event.outcome],
      term: termOf('outcome', event.outcome),
    },
    why(event, detail),
    event.upstream === ''
      ? null
      : {
          label: detail.who,
          words:
            event.transport === 'none'
              ? safe(event.upstream)
              : detail.over(safe(event.upstream), text.queryLog.transports[event.transport]),
          term: termOf('upstream', event.upstream),
        },
    event.cost === 'none'
      ? null
      : {
          label: detail.cost,
          words: [
            text.queryLog.costsLong[event.cost],
            detail.roundTrips(event.roundTrips),
            ...(event.handshakeMs > 0
              ? [detail.handshake(formats.latency(event.handshakeMs))]
              : []),
            detail.octets(formats.octets(event.sentOctets), formats.octets(event.receivedOctets)),
          ].join(' '),
          term: termOf('cost', event.cost),
        },
    event.clear === 'none'
      ? null
      : {
          label: detail.clear,
          words: text.queryLog.clearClasses[event.clear],
          term: termOf('clear', event.clear),
        },
    {
      label: detail.answer,
      words: [event.rcode, event.authenticData ? detail.validated : detail.notValidated].join(
        ' · ',
      ),
      term: termOf('rcode', event.rcode),
    },
    event.extendedError === null
      ? null
      : {
          label: detail.extendedError,
          words: `${extendedErrorName(event.extendedError, text.queryLog)} (${event.extendedError})`,
          ...reasonOf(event),
          term: null,
        },
    program(event, detail),
    {
      label: detail.client,
      words: detail.clientOver(
        safe(event.client.address),
        event.client.port,
        text.queryLog.clientProtocols[event.client.protocol],
      ),
      term: event.client.address === '' ? null : termOf('client', event.client.address),
    },
  ];
  return facts.filter((fact) => fact !== null);
}

function why(event: QueryEvent, detail: Words['text']['queryLog']['detail']): Fact | null {
  if (event.rule !== '')
    return {
      label: detail.why,
      words: detail.rule(safe(event.rule)),
      term: termOf('rule', event.rule),
    };
  if (event.outcome === 'forwarded') return { label: detail.why, words: detail.noRule, term: null };
  if (event.reason === '') return null;
  return { label: detail.why, words: '', ...reasonOf(event), term: null };
}

const ownReasons: readonly QueryEvent['outcome'][] = [
  'local',
  'refused',
  'failed',
  'dropped',
  'stale',
];
/** RFC 8914, section 4.14: it failed a moment ago. */
const cachedError = 13;

/** Every other outcome passes on what a server said (native/engine/src/pending_response.rs). */
function reasonOf({ outcome, extendedError, reason }: QueryEvent): Pick<Fact, 'reason' | 'saidBy'> {
  const isOwn = ownReasons.includes(outcome) || extendedError === cachedError;
  return { reason, saidBy: isOwn ? 'engine' : 'server' };
}

function program(event: QueryEvent, detail: Words['text']['queryLog']['detail']): Fact | null {
  const { client, asker } = event;
  if (client.protocol === 'control') return null;
  const label = detail.program;
  if (asker.attribution === 'unknown') return { label, words: detail.unknownProgram, term: null };
  if (asker.attribution === 'not-looked-up')
    return { label, words: detail.notLookedUp, term: null };
  const name = askerName(asker);
  const said = (text: string, say: (text: string) => string) =>
    text === '' ? [] : [say(safe(text))];
  const words = [
    ...said(name, asker.forwards ? detail.forSomebody : String),
    ...said(asker.executable, String),
    ...said(asker.unit, detail.inUnit),
    ...said(asker.container, detail.inContainer),
    ...said(asker.user, detail.asUser),
  ].join(' · ');
  const isProven = asker.attribution === 'known';
  return {
    label,
    words: isProven || words === '' ? words : detail.seems(words),
    term: termOfProgram(event),
  };
}

function extendedErrorName(code: number, queryLog: Words['text']['queryLog']): string {
  const names: Readonly<Record<string, string>> = queryLog.extendedErrors;
  return names[`e${code}`] ?? queryLog.extendedErrors.unknown;
}
