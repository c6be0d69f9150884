/**
 * The tray of `npm start`: starts Electron and watches it, in a process of its own, because the guardian takes the place of the one that
 * was started. Where Electron can't start, or ends with an error, it says why and serves the page for a browser instead.
 *
 *   node build/shell.ts ELECTRON [--home FOLDER]
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { commandLine, nodeFlags, rendererOutput, trayFolder } from './places.mjs';

const [electron = '', ...home] = process.argv.slice(2);
const helper = join(dirname(electron), 'chrome-sandbox');
const longestComplaint = 2000;

/** Null: it ended as a person wished. */
async function runTray(): Promise<string | null> {
  const at = home.at(-1)?.replace(/^--home=/, '');
  const tray = spawn(electron, [trayFolder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      SOTTO_PAGE: rendererOutput,
      ...(at === undefined ? {} : { SOTTO_HOME: at }),
    },
  });
  let complaint = '';
  tray.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-longestComplaint);
  });
  return await new Promise((resolve) => {
    tray.once('error', ({ message }) => resolve(message));
    tray.once('close', (code, signal) =>
      resolve(code === 0 ? null : reason(complaint, code, signal)),
    );
  });
}

/** What is known of a shell that fails, by what it writes about it: why it fails, where its own words say too little, and what helps. */
const causes: readonly [RegExp, string | null, string][] = [
  [/shared librar/i, null, 'Installing the library that is named brings the tray back.'],
  [/running as root/i, 'Electron refuses to run as root', 'Start it as an ordinary user.'],
  [
    /sandbox|namespace/i,
    'this system forbids the sandbox that its window needs',
    `To have the tray, let it use Chromium's: sudo chown root: ${helper} && sudo chmod 4755 ${helper}`,
  ],
  [/display|ozone|wayland|x server/i, null, 'A tray needs a desktop.'],
];

/** The sentences that a person reads. */
function explain(complaint: string): string {
  const [, why, remedy] = causes.find(([said]) => said.test(complaint)) ?? [];
  const does = remedy ?? 'The page has everything that the tray has.';
  return `The tray could not be shown: ${why ?? complaint}.\nSotto works without it. ${does}`;
}

/** The first line that it wrote about an error, without the place in its sources. */
function reason(complaint: string, code: number | null, signal: string | null): string {
  const line = complaint.split('\n').find((one) => /error|fatal|cannot|without|missing/i.test(one));
  const ending = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
  return line === undefined ? ending : `${line.replace(/^\[[^\]]*\]\s*/, '').trim()} (${ending})`;
}

function servePage(): void {
  const page = ['ui', '--no-open', '--with-service', ...home];
  spawn(process.execPath, [...nodeFlags, commandLine(), ...page], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
}

const why = await runTray();
if (why !== null) {
  console.log(`\n${explain(why)}`);
  servePage();
}
