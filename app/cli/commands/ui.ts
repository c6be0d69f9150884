import { type Command, Option } from 'commander';
import { safeJson } from '../../contract/text/visible-text.ts';
import { built } from '../../installation.ts';
import { type PageOptions, type PageServer, servePage } from '../../page/page-server.ts';
import { untilGone, untilRunning } from '../../page/service-presence.ts';
import { systemAuthority } from '../../page/system-authority.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { hasDisplay, openBrowser } from '../terminal/open-browser.ts';
import { readPort } from '../terminal/read-number.ts';

interface UiOptions extends CommonOptions {
  open: boolean;
  port?: number;
  withService?: true;
}

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    options: [
      ['--no-open', 'print where the page is, open no browser'],
      new Option(
        '--port <port>',
        'the port of 127.0.0.1 to serve it at; else one that is free',
      ).argParser(readPort),
      ['--with-service', 'wait for the service, and end with it'],
    ],
    examples: `  sotto ui                 the page in your browser
  sotto ui --no-open       where it is, for a browser you open yourself
  ssh -t -L 40123:127.0.0.1:40123 host sotto ui --no-open --port 40123
                           the page of another machine: its address, opened here, leads there`,
    more: `The page is served on this machine alone, to one browser tab, until Ctrl-C or until nobody has used it for a
quarter of an hour. Its address lets one tab in, once.`,
    run: (_given, options: UiOptions) => showPage(line, options),
  });
}

/** A service that is being started answers within this time, even after a first build. */
const startMs = 60_000;

async function showPage(line: CommandLine, options: UiOptions): Promise<void> {
  const { controlSocket } = pathsFor(line, options);
  const connect = () => connectToService(controlSocket, 'sotto ui');
  if (options.withService) await untilRunning(connect, startMs);
  unwrap(await connect()).close();

  const page = await served(options.port, {
    connect,
    authority: systemAuthority(),
    files: built('renderer'),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void page.close());
  if (options.withService) void untilGone(connect).then(page.close);

  tell(line, options, page);
  if (options.open && hasDisplay(line.environment)) await openBrowser(page.handover.file);
  await page.ended;
  // A connection that is still awaited while the service is away would keep this process.
  process.exit(0);
}

/** Any other failure than that somebody has the port is a bug. */
async function served(
  port: number | undefined,
  options: Omit<PageOptions, 'port'>,
): Promise<PageServer> {
  try {
    return await servePage(port === undefined ? options : { ...options, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw badUsage(
      `another program has port ${port} of 127.0.0.1`,
      'give --port another one, at both ends where a tunnel leads there',
    );
  }
}

function tell({ terminal }: CommandLine, { json }: UiOptions, page: PageServer): void {
  const { address, handover } = page;
  if (json) terminal.out(safeJson({ address, file: handover.file }));
  // Output that is no terminal may be kept for others to read, so it gets the file's name, which only its owner can read.
  else terminal.out(`The page: ${terminal.interactive ? handover.url : handover.fileUrl}`);
}
