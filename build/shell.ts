/**
 * The tray of `npm start`: starts Electron and watches it, in a process of its own, because the guardian takes the place of the one that
 * was started. Where Electron can't start, or ends with an error, it says why and serves the page for a browser instead.
 *
 *   node build/shell.ts ELECTRON [--home FOLDER]
 */
import { spawn } from 'node:child_process';
import { commandLine, nodeFlags, rendererOutput, trayFolder } from './places.mjs';

const [electron = '', ...home] = process.argv.slice(2);
const longestComplaint = 2000;

const why = await runTray();
if (why !== null) {
  console.log(`\nThe tray could not be shown: ${why}\nSotto works without it. ${remedyFor(why)}`);
  servePage();
}

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

/** The first line that it wrote about an error, without the place in its sources. */
function reason(complaint: string, code: number | null, signal: string | null): string {
  const line = complaint.split('\n').find((one) => /error|fatal|cannot|without|missing/i.test(one));
  const ending = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
  return line === undefined ? ending : `${line.replace(/^\[[^\]]*\]\s*/, '').trim()} (${ending})`;
}

function remedyFor(cause: string): string {
  if (/shared librar/i.test(cause))
    return 'Installing the library that is named brings the tray back.';
  if (/sandbox/i.test(cause))
    return 'This system forbids the sandbox of the tray; README.md says what allows it.';
  if (/display|ozone|wayland|x server/i.test(cause)) return 'A tray needs a desktop.';
  return 'The page has everything that the tray has.';
}

function servePage(): void {
  const page = ['ui', '--no-open', '--with-service', ...home];
  spawn(process.execPath, [...nodeFlags, commandLine(), ...page], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
}
