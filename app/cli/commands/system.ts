import type { Command } from 'commander';
import { lineOf } from '../../contract/protection/taking-words.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderFinding } from '../render/finding.ts';
import { renderSystemDns } from '../render/system-dns.ts';

const aboutHelper = `The service itself may not change the system; sotto-helper does, and writes down what was there before. It is given back
while Sotto is off, when it ends, and with "sudo sotto-helper give-back", whatever has become of Sotto.`;

const aboutRole = `With an installed Sotto, members of the group sotto may take it, and root and members of sotto-admin also give it back;
in the window and the tray the system asks everybody else for the password of an administrator.`;

export function define(command: Command, line: CommandLine): void {
  const telling = {
    say: renderSystemDns,
    // Without a service the system's DNS may still be led to it.
    without: 'what an earlier run left taken is given back by: sudo sotto-helper give-back',
  };

  defineCall(command, line, {
    ...telling,
    name: 'status',
    description:
      "Whether the system's DNS is led to Sotto, by what, and what else this system has.",
    examples: `  sotto system status
  sotto system status --json | jq '.status.taken'`,
    method: 'system.status',
  });

  defineCall(command, line, {
    ...telling,
    name: 'take',
    description: 'Lead every program of this machine to Sotto: the setting systemDns.take.',
    examples: `  sotto system take
  sotto system probe      whether it works, and what goes past`,
    more: `${aboutHelper}\n\n${aboutRole}`,
    method: 'system.take',
    asAdministrator: lineOf('take'),
  });

  defineCall(command, line, {
    ...telling,
    name: 'give-back',
    description: 'Let the system ask whom it asked before.',
    examples: `  sotto system give-back
  sudo sotto-helper give-back      the same without a service, as root`,
    more: `${aboutHelper}\n\n${aboutRole}`,
    method: 'system.giveBack',
    asAdministrator: lineOf('give-back'),
  });

  defineCall(command, line, {
    name: 'probe',
    description:
      'Test whether queries of this machine arrive at Sotto, and find what goes past it.',
    examples: `  sotto system probe
  sotto system probe --json | jq -r '.findings[] | select(.verdict != "ok").text'`,
    more: `Names that nobody else has are asked for in every way that programs use; Sotto answers them itself. Browsers with a
resolver of their own and containers are found in their files.`,
    method: 'system.probe',
    say: ({ findings }) => findings.flatMap((finding) => renderFinding(finding, line.terminal)),
    failed: ({ findings }) => findings.some(({ verdict }) => verdict === 'fail'),
  });

  teach(
    command,
    `  sotto system status        who leads whom where
  sotto system take          every program asks Sotto
  sotto system give-back     as it was before`,
    aboutHelper,
  );
}
