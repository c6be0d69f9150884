/** Child processes that end with us, and pass their end on to us. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @typedef {object} Ending
 * @property {number} code the exit code; 128 + the signal's number when a signal ended it
 * @property {NodeJS.Signals | null} signal which ended it
 * @property {NodeJS.Signals | null} interrupted a signal that we were sent while it ran
 */

/** @typedef {(text: string, stream: 'stdout' | 'stderr') => void} OnOutput */

/**
 * Runs a child until it ends, on our own terminal unless `options` or `onOutput` say otherwise. A signal
 * that arrives meanwhile ends the child first, and then us.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @param {OnOutput} [onOutput] whatever `options.stdio` pipes; by default all of it
 * @returns {Promise<Ending>}
 */
export async function run(command, args, options, onOutput) {
  const ending = await supervise(command, args, options, onOutput);
  if (ending.interrupted) {
    process.kill(process.pid, ending.interrupted);
    await new Promise(() => {});
  }
  return ending;
}

/**
 * As `run`, but only the child handles signals: we end with its exit code, or by its signal.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export async function passThrough(command, args, options) {
  const { code, signal } = await supervise(command, args, options);
  process.exitCode = code;
  if (signal && process.platform !== 'win32') process.kill(process.pid, signal);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @param {OnOutput} [onOutput]
 * @returns {Promise<Ending>}
 */
function supervise(command, args, options, onOutput) {
  return new Promise((resolve, reject) => {
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { stdio, ...options });
    if (onOutput) {
      child.stdout?.setEncoding('utf8').on('data', (text) => onOutput(text, 'stdout'));
      child.stderr?.setEncoding('utf8').on('data', (text) => onOutput(text, 'stderr'));
    }
    /** @type {NodeJS.Signals | null} */
    let interrupted = null;
    const release = forwardSignals((came) => {
      interrupted = came;
      if (!terminalSentIt(came)) child.kill(came);
    });
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      release();
      const number = signal ? constants.signals[signal] : 0;
      resolve({ code: code ?? 128 + number, signal, interrupted });
    });
  });
}

/** @param {(signal: NodeJS.Signals) => void} listener */
function forwardSignals(listener) {
  for (const signal of forwarded) process.on(signal, listener);
  return () => {
    for (const signal of forwarded) process.off(signal, listener);
  };
}

/** A terminal sends Ctrl-C to the whole foreground group, so the child has received it already. */
function terminalSentIt(/** @type {NodeJS.Signals} */ signal) {
  return signal === 'SIGINT' && process.stdin.isTTY === true;
}
