import { type Command, Option } from 'commander';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderCache, renderCacheEntries } from '../render/cache.ts';
import { readDomainName } from '../terminal/read-name.ts';

interface FlushOptions extends CommonOptions {
  name?: string;
  suffix?: string;
}

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'stats',
    description: 'How full the cache is, and how often it answers.',
    examples: `  sotto cache stats
  sotto cache stats --json | jq '.hits / (.hits + .misses)'`,
    method: 'cache.stats',
    say: renderCache,
  });

  defineCall(command, line, {
    name: 'show',
    arguments: [
      ['<name>', 'the name whose responses to show'],
      ['[type]', 'only this type: A, AAAA, HTTPS, TXT … or TYPE65280'],
    ],
    description: 'What is kept of a name: type, result, time left, and who said so.',
    examples: `  sotto cache show example.com          every type that is kept
  sotto cache show example.com AAAA
  sotto cache show example.com --json | jq '.entries[].ttlLeft'`,
    more: `The exit code is 1 when nothing of it is kept. Marks: negative (there is no such name or type), stale
(expired, kept for when no upstream can be reached), do and cd (for queries with that bit set).`,
    method: 'cache.show',
    params: wanted,
    say: ({ entries }) => (entries.length === 0 ? [] : renderCacheEntries(entries)),
    nothing: (query) => `Nothing is kept of ${safe(Object.values(wanted(query)).join(' '))}.`,
    failed: ({ entries }) => entries.length === 0,
  });

  defineCall(command, line, {
    name: 'flush',
    description: 'Forget responses: of one name, of everything below a suffix, or all of them.',
    options: [
      ['--name <name>', 'only this name, all its types'],
      new Option('--suffix <suffix>', 'only this name and everything below it').conflicts('name'),
    ],
    examples: `  sotto cache flush                         all
  sotto cache flush --name www.example.com
  sotto cache flush --suffix example.com    example.com and all names that end in it`,
    more: 'Flushing costs only time: the next query for each name goes to the upstream again.',
    method: 'cache.flush',
    params: (_given, { name, suffix }: FlushOptions) => ({
      ...(name !== undefined && { name: readDomainName(name) }),
      ...(suffix !== undefined && { suffix: readDomainName(suffix) }),
    }),
    say: ({ removed }) =>
      removed === 1 ? '1 response forgotten.' : `${removed} responses forgotten.`,
  });

  teach(
    command,
    `  sotto cache stats                         how full it is, how often it answers
  sotto cache show example.com              what is kept of a name
  sotto cache flush --suffix example.com    forget it and ask anew`,
  );
}

type Kept = [name: string, type?: string];

function wanted([name, type]: Kept): { name: string; type?: string } {
  return { name: readDomainName(name), ...(type !== undefined && { type: type.toUpperCase() }) };
}
