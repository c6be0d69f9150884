import { type Command, Option } from 'commander';
import { parseDuration } from '../../contract/text/duration.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage } from '../failure.ts';
import type { DirectOptions } from '../queries/ask-server.ts';
import { readDomainName } from '../terminal/read-name.ts';

interface QueryOptions extends CommonOptions, DirectOptions {
  at?: string;
  each?: boolean;
}

const directOnly = ['ca', 'pin', 'starttls', 'proxy', 'timeout'] as const;

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    arguments: [
      ['<name>', 'the name to ask for'],
      ['[type]', 'A, AAAA, HTTPS, TXT … or TYPE65280', 'A'],
    ],
    options: [
      ['--each', 'every upstream of the service side by side, past its cache'],
      ['--at <server>', 'straight to this server: TRANSPORT://IP[:PORT][#NAME]'],
      ['--ca <file>', "with --at: trust these certificates (PEM) instead of the system's"],
      new Option(
        '--pin <pin>',
        'with --at: accept this public key (base64 SHA-256); repeatable',
      ).argParser(collect),
      new Option('--starttls <signal>', 'with --at tdns: which sign of STARTTLS counts').choices([
        'draft',
        'compat',
      ]),
      ['--proxy <proxy>', 'with --at: through this SOCKS5 proxy, socks5://IP:PORT'],
      new Option(
        '--timeout <duration>',
        'with --at: give up after this time (default: 5s)',
      ).argParser(readTimeout),
    ],
    examples: `  sotto query example.com                       an A record, through the service
  sotto query example.com HTTPS --json | jq .stages
  sotto query example.com --each                do the upstreams contradict each other?
  sotto query example.com A --at dot://9.9.9.9#dns.quad9.net
  sotto query example.com A --at tdns://192.0.2.1#dns.example --ca ca.pem
  sotto query example.com A --at tdns://[2001:db8::1]:53 --pin "$PIN" --starttls draft
  sotto query example.com A --at dot://192.0.2.1#dns.example --proxy socks5://127.0.0.1:9050
  sotto query example.com A --at udp://192.0.2.1    cleartext: for comparison`,
    more: `Transports for --at: tdns (TLS begun on the DNS port by STARTTLS), dot (TLS from the start, port 853), and tcp
and udp, which are cleartext. NAME after # is what the server's certificate must carry. This command goes straight to the
server, past the upstreams' proxy as well, unless --proxy is given. What it sends in cleartext stands in the ledger of the
service that runs, of class explicit, before it leaves; where none runs, that is said.`,
    run: ([name, type]: [string, string], options: QueryOptions) => ask(line, name, type, options),
  });
}

async function ask(
  line: CommandLine,
  name: string,
  type: string,
  options: QueryOptions,
): Promise<void> {
  const query = { name: readDomainName(name), type: type.toUpperCase() };
  if (options.each && options.at !== undefined)
    throw badUsage('--each and --at exclude each other', 'ask the upstreams, or one server');
  if (options.at !== undefined) {
    const { askServer } = await import('../queries/ask-server.ts');
    return askServer(line, query, options.at, options);
  }
  const misplaced = directOnly.find((option) => options[option] !== undefined);
  if (misplaced !== undefined) {
    throw badUsage(
      `--${misplaced} needs --at`,
      'name the server with --at; upstreams of the service are set in settings.json',
    );
  }
  if (options.each) {
    const { askEachUpstream } = await import('../queries/ask-each.ts');
    return askEachUpstream(line, query, options);
  }
  const { askService } = await import('../queries/ask-service.ts');
  return askService(line, query, options);
}

function collect(pin: string, before: string[] | undefined): string[] {
  return [...(before ?? []), pin];
}

function readTimeout(text: string): number {
  const timeout = parseDuration(text);
  if (timeout === null)
    throw badUsage(`"${text}" is not a duration`, 'write --timeout 500ms, 5s or 1m');
  return timeout;
}
