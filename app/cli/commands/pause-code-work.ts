/** Makes the keys of pause codes, and the codes, where no service is needed. */
import { readFileSync } from 'node:fs';
import { inGroups, readChallenge, readCode } from '../../contract/protection/pause-code.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: the codes are those that a service expects; none has to run.
import { sayErrno } from '../../service/base/errno-words.ts';
import { writeTo } from '../../service/base/open-to-write.ts';
import {
  keyFromSecret,
  type MachineKey,
  makeSecret,
  responseTo,
  someCode,
  writeMachineKey,
} from '../../service/pause-codes/pause-key.ts';
// biome-ignore-end lint/style/noRestrictedImports: the codes are those that a service expects; none has to run.
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { badUsage } from '../failure.ts';
import { print } from '../terminal/print.ts';

export interface KeyOptions extends CommonOptions {
  secret?: string;
  machine?: string;
}

export interface AnswerOptions extends CommonOptions {
  key?: string;
}

export function keygen(line: CommandLine, file: string, options: CommonOptions): void {
  writeNew(file, makeSecret());
  print(line.terminal, options, { file }, () => [
    `${safe(file)} is the secret of the help desk: keep it, and keep it away from the machines that it opens.`,
  ]);
}

export function key(line: CommandLine, file: string, options: KeyOptions): void {
  if (options.secret === undefined)
    throw badUsage('--secret is missing', 'name the secret of the help desk');
  const machine = options.machine === undefined ? someCode() : readCode(options.machine);
  if (machine === null)
    throw badUsage(
      `"${options.machine}" is no id of a machine`,
      'give eight letters and digits, without U',
    );
  writeNew(file, writeMachineKey(machineKey(options.secret, machine)));
  print(line.terminal, options, { file, machine: inGroups(machine) }, () => [
    `${safe(file)} is the key of the machine ${inGroups(machine)}. Bring it there, where it opens nothing but that machine:`,
    `  sudo install -m 0600 -o sotto ${safe(file)} /etc/sotto/pause.key`,
  ]);
}

export function answer(line: CommandLine, text: string, options: AnswerOptions): void {
  if (options.key === undefined)
    throw badUsage('--key is missing', 'name the secret of the help desk');
  const request = readChallenge(text);
  if (request === null)
    throw badUsage(
      `"${text}" is no challenge`,
      'have it read again: five groups of four letters and digits',
    );
  const code = inGroups(responseTo(request, machineKey(options.key, request.machine)));
  const [machine, { minutes }] = [inGroups(request.machine), request];
  print(line.terminal, options, { machine, minutes, code }, () => [
    `The machine ${machine} wants to pause for ${sayDuration(minutes * 60_000)}. The code for that, once:`,
    `  ${code}`,
  ]);
}

function machineKey(file: string, machine: string): MachineKey {
  const made = keyFromSecret(readText(file), machine);
  if (made === null)
    throw badUsage(
      `${file} is no secret of a help desk`,
      'give the file that "sotto pause-code keygen" made',
    );
  return made;
}

function writeNew(file: string, text: string): void {
  try {
    writeTo(file, text, 'new', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw badUsage(`${file} is there already`, 'choose another name: no key is written over');
    throw badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may write there');
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may read it');
  }
}
