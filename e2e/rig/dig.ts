/** The clients that people use, called in one way and parsed in one way. */
import { locate } from './available.ts';
import { run } from './process.ts';
import type { Endpoint } from './raw-client.ts';

export type Client = 'dig' | 'kdig' | 'drill';

export interface DigResponse {
  /** NOERROR, SERVFAIL, … */
  status: string;
  /** `qr`, `aa`, `tc`, … */
  flags: string[];
  /** data of the answer section, in order: `A 198.51.100.1` */
  answers: string[];
  ttls: number[];
  /** RFC 8914; dig and kdig show it, drill does not */
  extendedError: { code: number; text: string } | null;
  text: string;
}

interface AskOptions {
  tcp?: boolean;
  flags?: string[];
}

export async function ask(
  client: Client,
  to: Endpoint,
  name: string,
  type = 'A',
  options: AskOptions = {},
): Promise<DigResponse> {
  const { stdout, stderr } = await run(
    locate(client),
    clientArguments(client, to, name, type, options),
  );
  return read(`${stdout}${stderr}`);
}

export async function dig(
  to: Endpoint,
  name: string,
  type = 'A',
  ...flags: string[]
): Promise<DigResponse> {
  return await ask('dig', to, name, type, { flags });
}

function clientArguments(
  client: Client,
  to: Endpoint,
  name: string,
  type: string,
  { tcp, flags = [] }: AskOptions,
): string[] {
  const at = `@${to.address}`;
  const port = ['-p', String(to.port)];
  if (client === 'drill') return [...port, ...(tcp ? ['-t'] : ['-u']), ...flags, at, name, type];
  const once = client === 'dig' ? ['+tries=1', '+time=30', '+nocookie'] : ['+retry=0', '+time=30'];
  return [...port, at, name, type, ...(tcp ? ['+tcp'] : []), ...once, ...flags];
}

function read(text: string): DigResponse {
  const status = /(?:status|rcode): (\w+)/.exec(text)?.[1];
  if (status === undefined) throw new Error(`no answer:\n${text}`);
  const records = answerLines(text).map((line) => line.split(/\s+/));
  const extended = /EDE: (\d+) \([^)]*\):?[ ]?(.*)/.exec(text);
  return {
    status,
    flags: (/;; flags:? ([a-z ]*)/i.exec(text)?.[1] ?? /Flags: ([a-z ]*)/.exec(text)?.[1] ?? '')
      .trim()
      .split(/\s+/),
    answers: records.map((fields) => fields.slice(3).join(' ')),
    ttls: records.map((fields) => Number(fields[1])),
    extendedError: extended && {
      code: Number(extended[1]),
      text: (extended[2] ?? '').replace(/^[("']+|[)"']+$/g, ''),
    },
    text,
  };
}

function answerLines(text: string): string[] {
  const section = /;; ANSWER SECTION:\n([\s\S]*?)(?:\n\n|\n;;|$)/.exec(text)?.[1] ?? '';
  return section.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
}
