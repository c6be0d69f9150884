import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { CommandFailed, unwrap } from '../failure.ts';
import { print } from '../terminal/print.ts';

/**
 * Queries in flight are answered, events are stored, and DNS is given back. After this time a guardian would kill the service.
 */
const patienceMs = 20_000;
const lookEveryMs = 50;

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    examples: `  sotto stop                 the one that "sotto run" or the tray started
  sudo systemctl stop sotto  the machine's own, which systemd runs`,
    more: `The system's DNS is given back, as after Ctrl-C where it runs. A signal alone is no such wish: after SIGTERM or a crash DNS
stays with Sotto until it is started again, or until the policy allows what nobody looks after to be given back.`,
    run: (_given, options: CommonOptions) => stop(line, options),
  });
}

async function stop(line: CommandLine, options: CommonOptions): Promise<void> {
  const pid = await withService(line, options, async (service) => {
    unwrap(await service.call('service.stop', {}));
    return service.hello.pid;
  });
  const until = Date.now() + patienceMs;
  while (isThere(pid)) {
    if (Date.now() > until)
      throw new CommandFailed({
        code: 'internal',
        message: `the service was told to stop, and process ${pid} still runs`,
        remedy: 'see its log; "sotto system give-back" gives DNS back',
      });
    await pause(lookEveryMs);
  }
  print(line.terminal, options, { stopped: true, pid }, () => 'Sotto has stopped.');
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
