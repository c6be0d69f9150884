import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { renderConnections } from '../render/connections.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    examples: `  sotto config set audit.connections true    begin the audit
  sotto connections                          what it has found so far
  sotto connections --json | jq '.audit.programs[]? | {program, addresses: [.addresses[].address]}'
  sotto config set audit.connections false   end it, and forget what it found`,
    more: `A program that has an address built in, or a resolver of its own, reaches the network without a query that Sotto sees.
The audit compares the addresses of live connections with the addresses that responses gave, and lists the rest by program.
Nothing is blocked. What was open before the audit began is listed apart, because nobody knows where its address came from. Left out
are connections that other computers opened, those to this computer or its network, and the service's own. A known public resolver
among the addresses is named: the program asks a resolver of its own.

Connections are looked at every 20 seconds, and when you ask. The audit sees neither shorter connections, nor datagrams from a socket
that is connected to nobody, nor containers that have a network of their own. Programs are listed, too, that got an address before
the audit began, from /etc/hosts, from another computer, or from a cache such as nscd; and an address that one program was given
counts as given to all. A program that wants to can avoid being listed. Only an administrator sees the report. Nothing of it is written to the disk, and "sotto log erase" erases it.`,
    method: 'connections.list',
    say: (report) => renderConnections(report, line.now()),
  });
}
