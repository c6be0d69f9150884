import type { Command } from 'commander';
import type { Result } from '../../contract/errors.ts';
import type { CheckedPortal } from '../../contract/portal.ts';
import type { ServiceClient } from '../../contract/service-api.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { badUsage, unwrap } from '../failure.ts';
import { renderOpenedPortal, renderPortal } from '../render-portal.ts';

interface AllowOptions extends CommonOptions {
  minutes: number;
}

const longestMinutes = 60;

const whatItMeans = `Hotels and trains answer every page with their own until you have logged in. Sotto notices that when no private path
works, and keeps DNS private all the same: the login has a window of its own, whose questions, and no others, go to the
network's resolvers. Each is counted: sotto ledger --class portal. It ends as soon as an upstream answers privately.`;

export function define(command: Command, line: CommandLine): void {
  const status = command
    .command('status')
    .description('Whether this network wants a login, and how that is known.');
  withJson(withHome(status)).action((options: CommonOptions) => showPortal(line, options));
  withExamples(status, '  sotto portal status');

  const check = command
    .command('check')
    .description('Look for a login page now, and try the private paths.');
  withJson(withHome(check)).action((options: CommonOptions) =>
    tell(line, options, (service) => service.call('portal.check', {})),
  );
  withExamples(check, '  sotto portal check    after logging in elsewhere, for example');

  const open = command
    .command('open')
    .description('Begin a login, and say how a browser of your own gets through.');
  withJson(withHome(open)).action((options: CommonOptions) => openPortal(line, options));
  withExamples(
    open,
    `  sotto portal open
  curl --socks5-hostname USER:PASSWORD@127.0.0.1:PORT URL`,
    'The port is for this login alone: it speaks SOCKS 5 and HTTP, wants the user and the password, and closes when the time is over. Opening once more begins the time anew.',
  );

  const close = command.command('close').description('End the login; its connections are cut.');
  withJson(withHome(close)).action((options: CommonOptions) =>
    tell(line, options, (service) => service.call('portal.close', {})),
  );
  withExamples(close, '  sotto portal close');

  const skip = command
    .command('skip')
    .description('Say that this is no login page: policy goes on as if none had been seen here.');
  withJson(withHome(skip)).action((options: CommonOptions) =>
    tell(line, options, (service) => service.call('portal.skip', {})),
  );
  withExamples(skip, '  sotto portal skip');

  const allow = command
    .command('allow-site')
    .argument('<site>', 'the site that "sotto portal status" shows')
    .description("Let any browser reach the portal's one site for a while, in clear.")
    .requiredOption('--minutes <minutes>', `for how long, at most ${longestMinutes}`, readMinutes);
  withJson(withHome(allow)).action((site: string, options: AllowOptions) =>
    allowSite(line, site, options),
  );
  withExamples(
    allow,
    '  sotto portal allow-site portal.hotel.example --minutes 5',
    'Refused where the name stands in a rule, or where names of its domain are in your history: whoever answers for a name gets what browsers keep for it.',
  );

  withExamples(
    command,
    `  sotto portal status    what is known of a login page
  sotto portal open      log in
  sotto portal close     that was it`,
    whatItMeans,
  );
}

async function showPortal(line: CommandLine, options: CommonOptions): Promise<void> {
  const { portal } = await withService(line, options, async (service) =>
    unwrap(await service.call('status.get', {})),
  );
  if (options.json) line.terminal.out(safeJson({ portal }));
  else if (portal === null) line.terminal.error('No login page is known here.');
  else for (const text of renderPortal(portal)) line.terminal.out(text);
}

async function tell(
  line: CommandLine,
  options: CommonOptions,
  ask: (service: ServiceClient) => Promise<Result<CheckedPortal>>,
): Promise<void> {
  const told = await withService(line, options, async (service) => unwrap(await ask(service)));
  if (options.json) line.terminal.out(safeJson(told));
  else {
    line.terminal.out(safe(told.text));
    if (told.portal !== null) for (const text of renderPortal(told.portal)) line.terminal.out(text);
  }
}

async function openPortal(line: CommandLine, options: CommonOptions): Promise<void> {
  const opened = await withService(line, options, async (service) =>
    unwrap(await service.call('portal.open', {})),
  );
  if (options.json) line.terminal.out(safeJson(opened));
  else for (const text of renderOpenedPortal(opened)) line.terminal.out(text);
}

async function allowSite(
  line: CommandLine,
  site: string,
  { minutes, ...options }: AllowOptions,
): Promise<void> {
  const opened = await withService(line, options, async (service) =>
    unwrap(await service.call('portal.allowSite', { site, minutes })),
  );
  line.terminal.out(
    options.json
      ? safeJson(opened)
      : `${safe(opened.site)} may be reached for ${minutes} min; open ${safe(opened.url)}`,
  );
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && minutes > 0 && minutes <= longestMinutes) return minutes;
  throw badUsage(
    `"${text}" is not a number of minutes`,
    `give --minutes a number up to ${longestMinutes}`,
  );
}
