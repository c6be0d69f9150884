/** Writes profiles as files of other programs, and reads those. */
import { basename } from 'node:path';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import { readBounded } from '../../service/base/bounded-file.ts';
import { sayErrno } from '../../service/base/errno-words.ts';
import { writeTo } from '../../service/base/open-to-write.ts';
import { lintProfile } from '../../service/profiles/before-signing/lint.ts';
import {
  type ExportFormat,
  exportProfile,
} from '../../service/profiles/formats/exports/export-profile.ts';
import {
  type ExportSource,
  sourceOfMachine,
  sourceOfProfile,
} from '../../service/profiles/formats/exports/export-source.ts';
import {
  type HttpsAddress,
  readHttpsAddress,
} from '../../service/profiles/formats/exports/https-address.ts';
import { signApple } from '../../service/profiles/formats/exports/sign-apple.ts';
import { type Finding, type Looser, looserWords } from '../../service/profiles/formats/finding.ts';
import {
  type ImportFormat,
  importForeign,
} from '../../service/profiles/formats/imports/import-foreign.ts';
import { mostForeignOctets } from '../../service/profiles/formats/imports/read-foreign.ts';
import { mostProfileOctets } from '../../service/profiles/profile-file.ts';
import { readCatalogue } from '../../service/settings/resolver-catalogue.ts';
// biome-ignore-end lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';

export interface ExportOptions extends CommonOptions {
  output?: string;
  allow?: string;
  doh?: string;
  certificate?: string;
  signingKey?: string;
}

export interface ImportOptions extends CommonOptions {
  output?: string;
  settings?: boolean;
  allow?: string;
}

export async function exportTo(
  line: CommandLine,
  format: string,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const allowed = readAllowed(options.allow, ['opportunistic', 'pins', 'groups']);
  const https = options.doh === undefined ? null : httpsAddress(options.doh);
  const sign = signerOf(format, options);
  const source = file === undefined ? await machine(line, options) : profile(line, file);
  const exported = exportProfile(source, format as ExportFormat, {
    allowed,
    https,
    catalogue: readCatalogue(),
  });
  tell(line, exported.findings, null);
  if (exported.text === null)
    throw new CommandFailed({
      code: 'usage',
      message: exported.reason,
      remedy: 'see: sotto profile export --help',
    });
  write(line, sign(exported.text), options.output);
}

export function importFrom(
  line: CommandLine,
  format: string,
  file: string,
  options: ImportOptions,
): void {
  const allowed = readAllowed(options.allow, ['cleartext']);
  const octets = readOctets(file, mostForeignOctets);
  const imported = importForeign(format as ImportFormat, octets, {
    allowed,
    catalogue: readCatalogue(),
  });
  if ('reason' in imported) {
    const place = imported.line === null ? file : `${file}, line ${imported.line}`;
    throw badUsage(`${place}: ${imported.reason}`, `is it a file of ${format}?`);
  }
  const { settings, taken } = imported;
  tell(line, taken.findings, file);
  if (Object.keys(settings).length === 0)
    throw badUsage(`nothing in ${file} could be taken`, 'the lines above say why');
  const text = `${JSON.stringify(options.settings ? settings : asProfile(settings, format, file), null, 2)}\n`;
  if (!options.settings) requireSound(line, text, options.output ?? 'profile');
  write(line, text, options.output);
}

/** Where Debian's package puts the schema. */
const schema = '/usr/share/sotto/schema/sotto-profile.schema.json';

function asProfile(settings: Record<string, unknown>, format: string, file: string): object {
  return {
    $schema: schema,
    id: 'example-corp',
    serial: 1,
    issuer: 'Example Corp',
    name: oneLine(`From ${basename(file)} of ${format}`),
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [key, { value, lock: 'default' }]),
    ),
  };
}

function oneLine(text: string): string {
  return safe(text).slice(0, 100).trim();
}

/** What was taken is valid piece by piece; together it may contradict itself. */
function requireSound(line: CommandLine, text: string, file: string): void {
  const { problems } = lintProfile(file, Buffer.from(text));
  for (const { path, reason, line: at } of problems)
    line.terminal.error(safe(`${file}:${at}: ${path}: ${reason}`));
  if (problems.length > 0) line.exitCode = exitCodes.usage;
}

function tell({ terminal }: CommandLine, findings: readonly Finding[], file: string | null): void {
  for (const { about, line, text, needs } of findings) {
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
    const sign = needs === null ? '' : '! ';
    terminal.error(safe(`${sign}${place}${about}: ${text}`));
  }
}

function readAllowed(text: string | undefined, words: readonly Looser[]): ReadonlySet<Looser> {
  const given = text === undefined ? [] : text.split(',').map((one) => one.trim());
  return new Set(
    given.map((word) => {
      const known = looserWords.find((one) => one === word && words.includes(one));
      if (known === undefined)
        throw badUsage(
          `"${word}" is nothing that can be allowed here`,
          `choose from ${words.join(', ')}`,
        );
      return known;
    }),
  );
}

function httpsAddress(text: string): HttpsAddress {
  const read = readHttpsAddress(text);
  if (read !== null) return read;
  throw badUsage(
    `"${text}" is no address of DNS over HTTPS`,
    'give one such as https://dns.example.net/dns-query',
  );
}

function signerOf(
  format: string,
  { certificate, signingKey, output }: ExportOptions,
): (text: string) => string | Buffer {
  if (certificate === undefined && signingKey === undefined) return (text) => text;
  if (format !== 'mobileconfig')
    throw badUsage(`a file of ${format} has no signature`, 'leave out --certificate');
  if (certificate === undefined || signingKey === undefined)
    throw badUsage('a signature needs both', 'give --certificate and --signing-key');
  if (output === undefined)
    throw badUsage('a signed file is no text', 'name the file to write with --output');
  const chain = readOctets(certificate, mostForeignOctets).toString('latin1');
  const key = readOctets(signingKey, mostForeignOctets).toString('latin1');
  return (text) => {
    const signed = signApple(text, chain, key);
    if ('octets' in signed) return signed.octets;
    throw badUsage(`${certificate}: ${signed.reason}`, signed.remedy);
  };
}

async function machine(line: CommandLine, options: CommonOptions): Promise<ExportSource> {
  const { settings } = await withService(line, options, async (service) =>
    unwrap(await service.call('profile.effective', {})),
  );
  return sourceOfMachine(settings);
}

function profile(line: CommandLine, file: string): ExportSource {
  const linted = lintProfile(file, readOctets(file, mostProfileOctets));
  if (linted.profile !== null && linted.problems.length === 0)
    return sourceOfProfile(linted.profile, line.now());
  for (const { line: at, path, reason } of linted.problems)
    line.terminal.error(safe(`${file}:${at ?? ''}: ${path}: ${reason}`));
  throw badUsage(`${file} has an error`, 'correct it: sotto profile lint');
}

function readOctets(file: string, most: number): Buffer {
  const read = readBounded(file, most);
  if ('octets' in read) return read.octets;
  throw badUsage(`${file}: ${read.reason}`, 'check its name and who may read it');
}

function write({ terminal }: CommandLine, made: string | Buffer, output: string | undefined): void {
  if (output === undefined) {
    terminal.out(made.toString().replace(/\n$/, ''));
    return;
  }
  try {
    writeTo(output, made, 'over', 0o666);
  } catch (error) {
    throw badUsage(`${output}: ${sayErrno(error)}`, 'check its folder and who may write there');
  }
}
