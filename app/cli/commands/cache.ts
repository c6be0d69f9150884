import { type Command, Option } from 'commander';
import { safe, safeJson } from '../../contract/visible-text.ts';
import { asciiName } from '../ascii-name.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { exitCodes, unwrap } from '../failure.ts';
import { renderCache, renderCacheEntries } from '../render-cache.ts';

interface FlushOptions extends CommonOptions {
  name?: string;
  suffix?: string;
}

export function define(command: Command, line: CommandLine): void {
  const stats = command
    .command('stats')
    .description('How full the cache is, and how often it answers.');
  withJson(withHome(stats)).action((options) => showStats(line, options));
  withExamples(
    stats,
    `  sotto cache stats
  sotto cache stats --json | jq '.hits / (.hits + .misses)'`,
  );

  const show = command
    .command('show')
    .argument('<name>', 'the name whose answers to show')
    .argument('[type]', 'only this type: A, AAAA, HTTPS, TXT … or TYPE65280')
    .description('What is kept of a name: type, result, time left, and who said so.');
  withJson(withHome(show)).action((name: string, type: string | undefined, options) =>
    showName(line, name, type, options),
  );
  withExamples(
    show,
    `  sotto cache show example.com          every type that is kept
  sotto cache show example.com AAAA
  sotto cache show example.com --json | jq '.entries[].ttlLeft'`,
    `The exit code is 1 when nothing of it is kept. Marks: negative (there is no such name or type), stale
(expired, kept for when no upstream can be reached), do and cd (for questions with that bit set).`,
  );

  const flush = command
    .command('flush')
    .description('Forget answers: of one name, of everything below a suffix, or all of them.')
    .option('--name <name>', 'only this name, all its types')
    .addOption(
      new Option('--suffix <suffix>', 'only this name and everything below it').conflicts('name'),
    );
  withJson(withHome(flush)).action((options: FlushOptions) => flushCache(line, options));
  withExamples(
    flush,
    `  sotto cache flush                         all
  sotto cache flush --name www.example.com
  sotto cache flush --suffix example.com    example.com and all names that end in it`,
    'Flushing costs only time: the next question for each name goes to the upstream again.',
  );

  withExamples(
    command,
    `  sotto cache stats                         how full it is, how often it answers
  sotto cache show example.com              what is kept of a name
  sotto cache flush --suffix example.com    forget it and ask anew`,
  );
}

async function showStats(line: CommandLine, options: CommonOptions): Promise<void> {
  const cache = await withService(line, options, async (service) =>
    unwrap(await service.call('cache.stats', {})),
  );
  if (options.json) line.terminal.out(safeJson(cache));
  else for (const text of renderCache(cache)) line.terminal.out(text);
}

async function showName(
  line: CommandLine,
  name: string,
  type: string | undefined,
  options: CommonOptions,
): Promise<void> {
  const { terminal } = line;
  const wanted = { name: asciiName(name), ...(type !== undefined && { type: type.toUpperCase() }) };
  const { entries } = await withService(line, options, async (service) =>
    unwrap(await service.call('cache.show', wanted)),
  );
  if (entries.length === 0) line.exitCode = exitCodes.failed;
  if (options.json) terminal.out(safeJson({ entries }));
  else if (entries.length === 0) {
    const what = [wanted.name, wanted.type].filter((word) => word !== undefined).join(' ');
    terminal.error(`Nothing is kept of ${safe(what)}.`);
  } else for (const text of renderCacheEntries(entries)) terminal.out(text);
}

async function flushCache(
  line: CommandLine,
  { name, suffix, ...options }: FlushOptions,
): Promise<void> {
  const filter = {
    ...(name !== undefined && { name: asciiName(name) }),
    ...(suffix !== undefined && { suffix: asciiName(suffix) }),
  };
  const { removed } = await withService(line, options, async (service) =>
    unwrap(await service.call('cache.flush', filter)),
  );
  if (options.json) line.terminal.out(safeJson({ removed }));
  else line.terminal.out(removed === 1 ? '1 answer forgotten.' : `${removed} answers forgotten.`);
}
