/** `sotto config set`, `unset` and `undo`: edits of settings.json through the service, which checks and carries them out. */
import { Argument, type Command } from 'commander';
import type { Result } from '../../contract/errors.ts';
import { settingKeys } from '../../contract/settings.ts';
import type { SettingChange } from '../../contract/settings-methods.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { unwrap } from '../failure.ts';

const aboutEdits = `The service writes settings.json: comments and order stay as they are, a value with an error is refused, and so is one
that an administrator has locked. What takes protection away needs the role administer. The change is in force at once.`;

export function defineEdits(command: Command, line: CommandLine): void {
  const set = command
    .command('set')
    .addArgument(keyArgument())
    .argument('<value>', 'JSON, or a word as it is')
    .description('Change a setting in settings.json, and put it into force.');
  withJson(withHome(set)).action((key: string, value: string, options: CommonOptions) =>
    edit(line, options, (service) =>
      service.call('settings.set', { key, value: readValue(value) }),
    ),
  );
  withExamples(
    set,
    `  sotto config set downgrade warn
  sotto config set cache.entries 50000
  sotto config set rungs '["tcp"]'
  sotto config set listen '["127.0.0.1:53", "[::1]:53"]'`,
    aboutEdits,
  );

  const unset = command
    .command('unset')
    .addArgument(keyArgument())
    .description('Take a setting out of settings.json, so that the policy or the default holds.');
  withJson(withHome(unset)).action((key: string, options: CommonOptions) =>
    edit(line, options, (service) => service.call('settings.reset', { key })),
  );
  withExamples(unset, '  sotto config unset cache.entries', aboutEdits);

  const undo = command
    .command('undo')
    .description('Take back the last change that was made through the service.');
  withJson(withHome(undo)).action((options: CommonOptions) =>
    edit(line, options, (service) => service.call('settings.undo', {})),
  );
  withExamples(
    undo,
    `  sotto config undo
  sotto config undo && sotto config undo    the last two`,
    `It knows the changes since the service started. Where the file was edited by hand since, only that setting goes back to
what it was; where the setting itself was edited, nothing does.`,
  );
}

function keyArgument(): Argument {
  return new Argument('<key>', 'which setting; see: sotto config show').choices(settingKeys);
}

/** `warn` is the word, `5` the number, `["tcp"]` the list. */
function readValue(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function edit(
  line: CommandLine,
  options: CommonOptions,
  call: (service: ConnectedService) => Promise<Result<SettingChange>>,
): Promise<void> {
  const change = await withService(line, options, async (service) => unwrap(await call(service)));
  if (options.json) line.terminal.out(safeJson(change));
  else line.terminal.out(sayChange(change));
}

export function sayChange({ key, previous, setting }: SettingChange): string {
  const { value, source } = setting;
  const before = previous.set ? `; settings.json had ${JSON.stringify(previous.value)}` : '';
  const whose = source.layer === 'user' ? '' : ` (${source.layer})`;
  return safe(`${key} is ${JSON.stringify(value)}${whose}${before}.`);
}
