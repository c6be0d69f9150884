/** Child processes that end with us, and end us the way they ended. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} Ending
 * @property {number} code the exit code; 128 + the signal's number when a signal ended it
 * @property {NodeJS.Signals | null} signal
 */

/**
 * Runs a child on our own terminal until it ends. While it runs, signals are its business.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<Ending>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const handlers = forwarded.map((signal) => {
      const handler = () => {
        if (!terminalSentIt(signal)) child.kill(signal);
      };
      process.on(signal, handler);
      return () => process.off(signal, handler);
    });
    const release = () => {
      for (const off of handlers) off();
    };
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      release();
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
}

/** A terminal sends Ctrl-C to the whole foreground group: the child has it already. */
function terminalSentIt(/** @type {NodeJS.Signals} */ signal) {
  return signal === 'SIGINT' && process.stdin.isTTY === true;
}

/**
 * As `run`, and then this process ends with the child's exit code, or by the child's signal.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export async function passThrough(command, args, options) {
  const { code, signal } = await run(command, args, options);
  process.exitCode = code;
  if (signal && process.platform !== 'win32') process.kill(process.pid, signal);
}
