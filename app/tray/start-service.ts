/** Starts the service because a person asked for it: the installed one by systemd, which asks for a password, else their own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { commandToStart } from '../contract/service-paths.ts';
import type { PortableService } from './portable-service.ts';

interface Parts {
  portable: Pick<PortableService, 'start'>;
  controlSocket(): string;
  /** Resolves to null where it succeeded, else to what it said. */
  run?(command: string, args: readonly string[]): Promise<string | null>;
  isThere?(path: string): boolean;
}

export async function startService(parts: Parts): Promise<Result<null>> {
  const { portable, controlSocket, run = runProgram, isThere = existsSync } = parts;
  const line = commandToStart(controlSocket(), process.env, isThere);
  if (!line.includes('systemctl'))
    return (await portable.start())
      ? succeed(null)
      : fail('not-running', 'the service could not be started', `start it with: ${line}`);
  const said = await run('systemctl', ['start', 'sotto.service']);
  return said === null
    ? succeed(null)
    : fail('not-running', `systemd did not start it: ${said}`, `start it with: ${line}`);
}

function runProgram(command: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, args, (error, _stdout, stderr) =>
      resolve(error === null ? null : stderr.trim() || error.message),
    );
  });
}
