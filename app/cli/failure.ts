/** How a command ends, and how it prints a failure. */
import type { Failure, FailureCode, Result } from '../contract/errors.ts';
import { safe, safeJson } from '../contract/text/visible-text.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Usage errors are the command line's own; every other code is the contract's. */
export type CommandFailure = Omit<Failure, 'code' | 'subject'> & {
  code: FailureCode | 'usage';
  subject?: string | null;
};

/** Ends a command; `main.ts` prints it. */
export class CommandFailed extends Error {
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function badUsage(message: string, remedy: string): CommandFailed {
  return new CommandFailed({ code: 'usage', message, remedy });
}

export function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new CommandFailed(result.failure);
  return result.value;
}

export function exitCodeFor(code: CommandFailure['code']): ExitCode {
  switch (code) {
    case 'usage':
    case 'params-invalid':
    case 'filter-invalid':
    case 'bad-query':
    case 'unknown-upstream':
    case 'unknown-identity':
    case 'identity-unusable':
    case 'unknown-consent-request':
    case 'unknown-network':
    case 'unknown-setting':
    case 'unknown-resolver':
    case 'unknown-rule':
    case 'unknown-claim':
    case 'bad-stamp':
    case 'bad-rules':
    case 'settings-invalid':
    case 'settings-unreadable':
    case 'profile-refused':
    case 'fingerprint-differs':
      return exitCodes.usage;
    case 'not-running':
    case 'connection-lost':
      return exitCodes.notRunning;
    default:
      return exitCodes.failed;
  }
}

/** What happened – what it means – what to do. */
export function tellFailure(failure: CommandFailure, json: boolean, terminal: Terminal): void {
  const { code, message, remedy } = failure;
  if (json) {
    terminal.error(safeJson({ error: { code, message, remedy } }));
    return;
  }
  // Errors in settings stand one a line. In every other text a line break may come from a stranger.
  const lines =
    code === 'settings-invalid' || code === 'profile-refused'
      ? message.split('\n')
      : [message.replace(/\s*\n\s*/g, ' ')];
  for (const line of lines.slice(0, -1)) terminal.error(safe(line));
  const parts = [lines.at(-1), meanings[code], remedy].filter(
    (part) => part !== undefined && part !== '',
  );
  terminal.error(`sotto: ${parts.map((part) => safe(part ?? '')).join(' – ')}`);
}

const meanings: Partial<Record<CommandFailure['code'], string>> = {
  usage: 'nothing was done',
  'params-invalid': 'nothing was done',
  'filter-invalid': 'nothing was searched',
  'bad-query': 'nothing was asked',
  'unknown-upstream': 'nothing was tried',
  'unknown-identity': 'nothing was changed',
  'identity-unusable': 'nothing was changed',
  'identity-in-use': 'nothing was changed',
  'unknown-consent-request': 'nothing was answered',
  'unknown-network': 'nothing was done',
  'unknown-setting': 'nothing was changed',
  'unknown-resolver': 'nothing was changed',
  'unknown-rule': 'nothing was changed',
  'unknown-claim': 'nothing was changed',
  'bad-stamp': 'nothing was changed',
  'bad-rules': 'nothing was changed',
  'setting-locked': 'nothing was changed',
  'pause-code-needed': 'nothing was changed',
  'pause-code-refused': 'nothing was changed',
  'no-pause-key': 'nothing was changed',
  'profile-refused': 'what holds stays as it is',
  'profile-waits': 'nothing was done',
  'no-profile': 'nothing was done',
  'settings-changed': 'nothing was changed',
  'nothing-to-undo': 'nothing was changed',
  'nothing-vanished': 'nothing was changed',
  'consent-request-closed': 'nothing was changed',
  'settings-invalid': 'it would not be used',
  'not-running': 'nothing answers queries on its addresses',
  'connection-lost': 'what it was doing for this command is unknown',
  'version-mismatch': 'this command and the service do not understand each other',
  'already-running': 'a second service was not started',
  'machine-service': 'it was not stopped',
  'listen-failed': 'the service was not started',
  'state-unwritable': 'the service was not started',
  'socket-path-too-long': 'the service was not started',
  'engine-missing': 'queries can neither be asked nor answered',
  'engine-refused': 'the configuration was not used',
  'log-unavailable': 'DNS goes on without it',
  forbidden: 'nothing was done',
};
