/**
 * DNS messages rebuilt from a record of the query log: header and question, and in an OPT record what the response said of an
 * error (RFC 6891, RFC 8914). The engine hands over no octets of messages, and the log's mode may have shortened the name. Pure.
 */
import { authenticDataFlag, type EventRecord, noExtendedError } from '../engine/boundary.ts';

type Asked = Pick<EventRecord, 'name' | 'type' | 'class'>;
type Answered = Asked & Pick<EventRecord, 'rcode' | 'extendedError' | 'answers' | 'flags'>;

const recursionDesired = 0x0100;
const responseFlags = 0x8180;
const truncated = 0x0200;
const authenticData = 0x0020;

export function queryMessage(event: Asked): Buffer {
  return Buffer.concat([header(recursionDesired, 0), question(event)]);
}

/** The records of its answer are not known here, so where it had some, TC says that the message is cut. */
export function responseMessage(event: Answered): Buffer {
  const { rcode, extendedError, answers, flags } = event;
  const word =
    responseFlags |
    (answers > 0 ? truncated : 0) |
    ((flags & authenticDataFlag) === 0 ? 0 : authenticData) |
    (rcode & 0xf);
  const needsOption = rcode > 0xf || extendedError !== noExtendedError;
  return Buffer.concat([
    header(word, needsOption ? 1 : 0),
    question(event),
    ...(needsOption ? [optionRecord(rcode, extendedError)] : []),
  ]);
}

/** Its id is not known, and 0 in its place. */
function header(flags: number, additional: number): Buffer {
  const octets = Buffer.alloc(12);
  octets.writeUInt16BE(flags, 2);
  octets.writeUInt16BE(1, 4);
  octets.writeUInt16BE(additional, 10);
  return octets;
}

function question({ name, type, class: kind }: Asked): Buffer {
  const rest = Buffer.alloc(4);
  rest.writeUInt16BE(type, 0);
  rest.writeUInt16BE(kind, 2);
  return Buffer.concat([wireName(name), rest]);
}

/** From presentation form (RFC 1035, section 5.1): a backslash stands before a character, or before the digits of an octet. */
export function wireName(name: string): Buffer {
  const labels = name.match(/(?:\\\d{3}|\\.|[^.\\])+/gs) ?? [];
  const octets = labels.flatMap((label) => {
    const inside = Buffer.from(
      label.replace(/\\(\d{3}|.)/gs, (_, escaped: string) =>
        escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
      ),
      'latin1',
    );
    return [Buffer.from([inside.length]), inside];
  });
  return Buffer.concat([...octets, Buffer.from([0])]);
}

function optionRecord(rcode: number, extendedError: number): Buffer {
  const option = extendedError === noExtendedError ? Buffer.alloc(0) : Buffer.alloc(6);
  if (option.length > 0) {
    option.writeUInt16BE(15, 0);
    option.writeUInt16BE(2, 2);
    option.writeUInt16BE(extendedError, 4);
  }
  const record = Buffer.alloc(11);
  record.writeUInt16BE(41, 1);
  record.writeUInt16BE(1232, 3);
  record.writeUInt8(rcode >> 4, 5);
  record.writeUInt16BE(option.length, 9);
  return Buffer.concat([record, option]);
}
