/** `sotto config set`, `unset`, `undo`, `restore` and `accept`: edits of settings.json through the service, which checks and carries them out. */
import { Argument, type Command } from 'commander';
import { settingKeys } from '../../contract/settings/settings.ts';
import type { SettingChange } from '../../contract/settings/settings-methods.ts';
import { hasKeyTwice } from '../../contract/text/strict-json.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { badUsage } from '../failure.ts';

const aboutEdits = `The service writes settings.json: comments and order stay as they are, a value with an error is refused, and so is one
that an administrator has locked. What takes protection away needs the role administer. The change is in force at once.`;

const aboutVanishing = `A settings or policy file that is removed, or left empty, ends nothing: what it said last stays in force, also for the next
start, until it says something else or "sotto config accept" lets go of it.`;

export function defineEdits(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'set',
    arguments: [keyArgument(), ['<value>', 'JSON, or a word as it is']],
    description: 'Change a setting in settings.json, and put it into force.',
    examples: `  sotto config set downgrade warn
  sotto config set cache.entries 50000
  sotto config set rungs '["tcp"]'
  sotto config set listen '["127.0.0.1:53", "[::1]:53"]'`,
    more: aboutEdits,
    method: 'settings.set',
    params: ([key, value]: [string, string]) => ({ key, value: readValue(value) }),
    say: sayChange,
  });

  defineCall(command, line, {
    name: 'unset',
    arguments: [keyArgument()],
    description: 'Take a setting out of settings.json, so that the policy or the default holds.',
    examples: '  sotto config unset cache.entries',
    more: aboutEdits,
    method: 'settings.reset',
    params: ([key]: [string]) => ({ key }),
    say: sayChange,
  });

  defineCall(command, line, {
    name: 'undo',
    description: 'Take back the last change that was made through the service.',
    examples: `  sotto config undo
  sotto config undo && sotto config undo    the last two`,
    more: `It knows the changes since the service started. Where the file was edited by hand since, only that setting goes back to
what it was; where the setting itself was edited, nothing does.`,
    method: 'settings.undo',
    say: sayChange,
  });

  defineCall(command, line, {
    name: 'restore',
    description: 'Write settings.json as it was before it vanished.',
    examples: '  sotto config restore',
    more: aboutVanishing,
    method: 'settings.restore',
    say: ({ file }) => safe(`${file} is as it was.`),
  });

  defineCall(command, line, {
    name: 'accept',
    description: 'Accept that a settings or policy file is gone: what it said ends.',
    examples: '  sotto config accept',
    more: `${aboutVanishing} It takes the role administer.`,
    method: 'settings.accept',
    say: ({ files }) => files.map((file) => safe(`${file} says nothing any more.`)),
  });
}

function keyArgument(): Argument {
  return new Argument('<key>', 'which setting; see: sotto config show').choices(settingKeys);
}

/** `warn` becomes a string, `5` a number, `["tcp"]` a list. */
function readValue(text: string): ReturnType<typeof JSON.parse> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (hasKeyTwice(text, value))
    throw badUsage('a key is there twice, so one of its values would be lost', 'remove one');
  return value;
}

export function sayChange({ key, previous, setting }: SettingChange): string {
  const { value, source } = setting;
  const before = previous.set ? `; settings.json had ${JSON.stringify(previous.value)}` : '';
  const whose = source.layer === 'user' ? '' : ` (${source.layer})`;
  return safe(`${key} is ${JSON.stringify(value)}${whose}${before}.`);
}
