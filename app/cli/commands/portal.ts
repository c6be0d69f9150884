import { type Command, Option } from 'commander';
import type { CheckedPortal } from '../../contract/system/portal.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderOpenedPortal, renderPortal } from '../render/portal.ts';
import { readMinutes } from '../terminal/read-number.ts';

interface AllowOptions extends CommonOptions {
  minutes: number;
}

const longestMinutes = 60;

const whatItMeans = `Hotels and trains answer every page with their own until you have logged in. Sotto notices that when no private path
works, and keeps DNS private all the same: the login has a window of its own, whose queries, and no others, go to the
network's resolvers. Each is counted: sotto ledger --class portal. It ends as soon as an upstream answers privately.`;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'status',
    description: 'Whether this network wants a login, and how that is known.',
    examples: '  sotto portal status',
    method: 'status.get',
    data: ({ portal }) => ({ portal }),
    say: ({ portal }) => (portal === null ? [] : renderPortal(portal)),
    nothing: () => 'No login page is known here.',
  });

  defineCall(command, line, {
    name: 'check',
    description: 'Look for a login page now, and try the private paths.',
    examples: '  sotto portal check    after logging in elsewhere, for example',
    method: 'portal.check',
    say: sayChecked,
  });

  defineCall(command, line, {
    name: 'open',
    description: 'Begin a login, and say how a browser of your own gets through.',
    examples: `  sotto portal open
  curl --socks5-hostname USER:PASSWORD@127.0.0.1:PORT URL`,
    more: 'The port is for this login alone: it speaks SOCKS 5 and HTTP, wants the user and the password, and closes when the time is over. Opening once more begins the time anew.',
    method: 'portal.open',
    say: renderOpenedPortal,
  });

  defineCall(command, line, {
    name: 'close',
    description: 'End the login; its connections are cut.',
    examples: '  sotto portal close',
    method: 'portal.close',
    say: sayChecked,
  });

  defineCall(command, line, {
    name: 'skip',
    description: 'Say that this is no login page: policy goes on as if none had been seen here.',
    examples: '  sotto portal skip',
    method: 'portal.skip',
    say: sayChecked,
  });

  defineCall(command, line, {
    name: 'allow-site',
    arguments: [['<site>', 'the site that "sotto portal status" shows']],
    options: [
      new Option('--minutes <minutes>', `for how long, at most ${longestMinutes}`)
        .argParser(readMinutes(longestMinutes))
        .makeOptionMandatory(),
    ],
    description: "Let any browser reach the portal's one site for a while, in cleartext.",
    examples: '  sotto portal allow-site portal.hotel.example --minutes 5',
    more: 'Refused where the name stands in a rule, or where names of its domain are in your query log: whoever answers for a name gets what browsers keep for it.',
    method: 'portal.allowSite',
    params: ([site]: [string], { minutes }: AllowOptions) => ({ site, minutes }),
    say: ({ site, url }, _given, { minutes }) =>
      `${safe(site)} may be reached for ${minutes} min; open ${safe(url)}`,
  });

  teach(
    command,
    `  sotto portal status    what is known of a login page
  sotto portal open      log in
  sotto portal close     that was it`,
    whatItMeans,
  );
}

function sayChecked({ text, portal }: CheckedPortal): string[] {
  return [safe(text), ...(portal === null ? [] : renderPortal(portal))];
}
